import { parentPort } from 'node:worker_threads';
import { BuiltinEmbeddings } from './builtin-embeddings.js';

/** Of `ThreadedEmbeddings`. */
export interface EncoderOrder {
  id: number;
  texts: readonly string[];
}

export interface EncoderReply {
  id: number;
  vectors: Float32Array[];
  /** Null when it went well. */
  error: string | null;
}

const encoder = new BuiltinEmbeddings();

parentPort?.on('message', (order: EncoderOrder) => void answer(order));

async function answer({ id, texts }: EncoderOrder): Promise<void> {
  try {
    reply({ id, vectors: await encoder.embed(texts), error: null });
  } catch (error) {
    reply({ id, vectors: [], error: String(error) });
  }
}

function reply(answered: EncoderReply): void {
  parentPort?.postMessage(answered, []);
}
