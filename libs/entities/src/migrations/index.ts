import { Baseline1766000001600 } from './1766000001600-baseline.js';
import { EndedTurns1766000002100 } from './1766000002100-ended-turns.js';
import { KeptResults1766000002300 } from './1766000002300-kept-results.js';

/** In the order in which they are applied. */
export const migrations = [Baseline1766000001600, EndedTurns1766000002100, KeptResults1766000002300];
