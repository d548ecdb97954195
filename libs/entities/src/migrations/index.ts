import { Outbox1763700000100 } from './1763700000100-outbox.js';
import { Documents1763700000300 } from './1763700000300-documents.js';

/** In the order in which they are applied. */
export const migrations = [Outbox1763700000100, Documents1763700000300];
