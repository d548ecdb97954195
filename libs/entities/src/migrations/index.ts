import { Baseline1766000001600 } from './1766000001600-baseline.js';

/** In the order in which they are applied. */
export const migrations = [Baseline1766000001600];
