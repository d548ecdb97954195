export { KeptMemories } from './kept-memories.js';
export { judgeMessage, type JudgedMemory, type KnownMemory } from './memory-judge.js';
export { MAX_MEMORY_LENGTH, MEMORY_KINDS, type MemoryKind } from './memory-kinds.js';
export { MemoryRows, type KeptMemory, type MemoryRecord, type NewMemory } from './memory-rows.js';
export { MemorySearch, type FoundMemory } from './memory-search.js';
export { MemoryVectors } from './memory-encoding.js';
export { holdsSecret, memoryKey, toMemoryText } from './memory-text.js';
export { type Asked, nearestMemories, recalledMemories } from './rank-memories.js';
export { findAnsweredTurn, isFirstHearing, type AnsweredTurn } from './answered-turns.js';
