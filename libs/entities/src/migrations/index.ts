import { Baseline1766000001600 } from './1766000001600-baseline.js';
import { EndedTurns1766000002100 } from './1766000002100-ended-turns.js';
import { Conversations1766000002200 } from './1766000002200-conversations.js';
import { KeptResults1766000002300 } from './1766000002300-kept-results.js';
import { Memories1766000002400 } from './1766000002400-memories.js';
import { UnencodedMemories1766000002410 } from './1766000002410-unencoded-memories.js';
import { CacheWriteTokens1766000002800 } from './1766000002800-cache-write-tokens.js';

/** In the order in which they are applied. */
export const migrations = [
  Baseline1766000001600,
  EndedTurns1766000002100,
  Conversations1766000002200,
  KeptResults1766000002300,
  Memories1766000002400,
  UnencodedMemories1766000002410,
  CacheWriteTokens1766000002800,
];
