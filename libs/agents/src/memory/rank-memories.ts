import { analyse } from '@app/retrieval';
import type { MemoryKind } from './memory-kinds.js';

/** Kinds that bear on every answer, whatever it is about. */
const ALWAYS: ReadonlySet<string> = new Set<MemoryKind>(['preference', 'instruction']);
const MAX_ALWAYS = 4;
const MAX_RECALLED = 8;

interface Ranked {
  kind: string;
  text: string;
  confidence: number;
}

/**
 * Those that have most of the question's words, rare words counting more (BM25's idf over the memories at hand), and
 * the newest of those that always count. Best first, eight at most.
 * @param memories newest first
 */
export function rankMemories<T extends Ranked>(question: string, memories: readonly T[]): T[] {
  const terms = memories.map(({ text }) => new Set(analyse(text)));
  const weights = new Map(
    [...new Set(analyse(question))].map((term) => {
      const found = terms.filter((each) => each.has(term)).length;
      return [term, Math.log(1 + (memories.length - found + 0.5) / (found + 0.5))];
    }),
  );
  const scored = memories.map((memory, at) => {
    let overlap = 0;
    for (const [term, weight] of weights) if (terms[at]!.has(term)) overlap += weight;
    return { memory, score: (overlap * memory.confidence) / Math.sqrt(Math.max(4, terms[at]!.size)) };
  });
  const fitting = scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ memory }) => memory);
  const always = memories.filter(({ kind }) => ALWAYS.has(kind)).slice(0, MAX_ALWAYS);
  const best = fitting.slice(0, MAX_RECALLED);
  const kept = always.filter((memory) => !best.includes(memory));
  return [...best.slice(0, MAX_RECALLED - kept.length), ...kept];
}
