export { KeptMemories } from './kept-memories.js';
export { judgeMessage, type JudgedMemory } from './memory-judge.js';
export { MAX_MEMORY_LENGTH, MEMORY_KINDS, type MemoryKind } from './memory-kinds.js';
export { MemoryRows, type MemoryRecord, type NewMemory } from './memory-rows.js';
export { holdsSecret, memoryKey, toMemoryText } from './memory-text.js';
export { findAnsweredTurn, isFirstHearing, type AnsweredTurn } from './answered-turns.js';
