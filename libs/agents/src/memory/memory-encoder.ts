import { Embeddings } from '@app/integrations';

/** The encoder of memories, which may be there where documents have none. */
export abstract class MemoryEncoder extends Embeddings {}
