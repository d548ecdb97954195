import { estimateTokens } from '@app/models';
import type { MemoryRoom } from '../agent/memories.js';
import { memoryLine } from '../agent/turn-notes.js';

interface Shown {
  kind: string;
  text: string;
  heard: Readonly<Record<string, string>>;
}

/**
 * Those that are told beside the ones that fit, while there is room: which memory a question needs takes a step of thought
 * (the bees and the village market), which the model takes and no search does. Not those that somebody else's words may
 * stand in, as the user would be asked for consent on account of something that has nothing to do with the question.
 * @param memories in the order in which they matter
 */
export function othersWithRoom<T extends Shown>(
  shown: readonly T[],
  memories: readonly T[],
  { tokens, before }: MemoryRoom,
): T[] {
  let left = tokens - shown.reduce((sum, memory) => sum + estimateTokens(memoryLine(memory)), 0);
  const others: T[] = [];
  for (const memory of memories) {
    if (left <= 0) break;
    const line = memoryLine(memory);
    if (shown.includes(memory) || Object.keys(memory.heard).length > 0 || before.includes(line)) continue;
    left -= estimateTokens(line);
    if (left >= 0) others.push(memory);
  }
  return others;
}
