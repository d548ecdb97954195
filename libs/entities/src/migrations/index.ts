import { Baseline1766000001600 } from './1766000001600-baseline.js';
import { EndedTurns1766000002100 } from './1766000002100-ended-turns.js';
import { Memories1766000002400 } from './1766000002400-memories.js';
import { UnencodedMemories1766000002410 } from './1766000002410-unencoded-memories.js';

/** In the order in which they are applied. */
export const migrations = [
  Baseline1766000001600,
  EndedTurns1766000002100,
  Memories1766000002400,
  UnencodedMemories1766000002410,
];
