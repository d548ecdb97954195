import { Outbox1763700000100 } from './1763700000100-outbox.js';

/** In the order in which they are applied. */
export const migrations = [Outbox1763700000100];
