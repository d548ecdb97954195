import type { MemoryKind } from './memory-kinds.js';

/** Kinds that bear on every answer, whatever it is about. */
const ALWAYS: ReadonlySet<string> = new Set<MemoryKind>(['preference', 'instruction']);
const MAX_ALWAYS = 4;
const MAX_FITTING = 8;
/** Of a match in the cues alone: they say when a memory is needed, which its own words do better where they do. */
const CUE_WEIGHT = 0.7;
/** What meaning counts beside words: both are between 0 and 1. */
const MEANING = 0.5;
/** Standard deviations above the mean of a user's memories, from which a cosine says something, and where it says all. */
const [LEAST_Z, MOST_Z] = [1, 3.5];
/** Of fewer cosines a mean says nothing. */
const MIN_COMPARED = 6;

export interface RankedMemory {
  kind: string;
  confidence: number;
  /** Terms of the text, and of the cues. */
  terms: { own: ReadonlySet<string>; cues: ReadonlySet<string> };
  /** With the question; null where there is no vector of either. */
  cosine: number | null;
}

/**
 * Those that the question is about, best first: by their words, rare ones counting more (BM25's idf over the memories at
 * hand), fused with how much nearer in meaning each is than the user's others. A cosine alone says little: encoders differ
 * in what they take for far.
 */
export function fittingMemories<T extends RankedMemory>(asked: ReadonlySet<string>, memories: readonly T[]): T[] {
  const weights = new Map(
    [...asked].map((term) => {
      const found = memories.filter(({ terms: { own, cues } }) => own.has(term) || cues.has(term)).length;
      return [term, Math.log(1 + (memories.length - found + 0.5) / (found + 0.5))];
    }),
  );
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  const meaningOf = meaningAmong(memories);
  return memories
    .map((memory) => {
      const { own, cues } = memory.terms;
      let overlap = 0;
      for (const [term, weight] of weights)
        overlap += own.has(term) ? weight : cues.has(term) ? weight * CUE_WEIGHT : 0;
      const byWords = (overlap / whole) * (2 / Math.sqrt(Math.max(4, own.size)));
      return { memory, score: (byWords + MEANING * meaningOf(memory)) * memory.confidence };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ memory }) => memory);
}

/** The eight that fit best, and behind them the newest of those that always count. @param memories newest first */
export function recalledMemories<T extends RankedMemory>(asked: ReadonlySet<string>, memories: readonly T[]): T[] {
  const best = fittingMemories(asked, memories).slice(0, MAX_FITTING);
  const always = memories.filter(({ kind }) => ALWAYS.has(kind)).slice(0, MAX_ALWAYS);
  return [...best, ...always.filter((memory) => !best.includes(memory))];
}

/** What a text may bear on: those that fit it among all, then the newest. @param memories newest first */
export function nearestMemories<T extends RankedMemory>(
  asked: ReadonlySet<string>,
  memories: readonly T[],
  count: number,
): T[] {
  return [...new Set([...fittingMemories(asked, memories).slice(0, count), ...memories])].slice(0, count);
}

function meaningAmong(memories: readonly RankedMemory[]): (memory: RankedMemory) => number {
  const cosines = memories.flatMap(({ cosine }) => cosine ?? []);
  if (cosines.length < MIN_COMPARED) return ({ cosine }) => Math.max(0, cosine ?? 0);
  const mean = cosines.reduce((sum, each) => sum + each, 0) / cosines.length;
  const deviation = Math.sqrt(cosines.reduce((sum, each) => sum + (each - mean) ** 2, 0) / cosines.length) || 1;
  return ({ cosine }) => {
    if (cosine === null) return 0;
    const z = (cosine - mean) / deviation;
    return z < LEAST_Z ? 0 : Math.min(1, z / MOST_Z);
  };
}
