export { MemoryResults } from './memory-results.js';
export { handleIn, keepAsCard, keepAsHandle, READ_RESULT } from './result-card.js';
export { type ResultOwner, ResultRows } from './result-rows.js';
export type { KeptResult, NewResult, ResultStore } from './result-store.js';
