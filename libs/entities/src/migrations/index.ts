import { Baseline1766000001600 } from './1766000001600-baseline.js';
import { EndedTurns1766000002100 } from './1766000002100-ended-turns.js';
import { ChatTraces1766000002500 } from './1766000002500-chat-traces.js';
import { UsageOfTurns1766000002510 } from './1766000002510-usage-of-turns.js';

/** In the order in which they are applied. */
export const migrations = [
  Baseline1766000001600,
  EndedTurns1766000002100,
  ChatTraces1766000002500,
  UsageOfTurns1766000002510,
];
