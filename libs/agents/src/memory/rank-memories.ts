import { questionWords, type QuestionWord } from '@app/retrieval';
import type { MemoryKind } from './memory-kinds.js';
import type { MemoryTerms } from './memory-terms.js';
import { MAX_CUED } from './memory-text.js';

/** Kinds that bear on every answer, whatever it is about. */
const ALWAYS: ReadonlySet<string> = new Set<MemoryKind>(['preference', 'instruction']);
const MAX_ALWAYS = 4;
const MAX_FITTING = 8;
/** What a judge sees. */
const MAX_SHOWN = 50;
/** Of a match in the cues alone: they say when a memory is needed, which its own words do better where they do. */
const CUE_WEIGHT = 0.7;
/** Of a match of a compound with one of its words, or the other way round. */
const PART_WEIGHT = 0.6;
const SHORTEST_PART = 5;
const LATIN = /^[\p{Script=Latin}]+$/u;
/** Standard deviations above the mean of a user's memories, from which a cosine says something, and where it says all. */
const [LEAST_Z, MOST_Z] = [1, 3.5];
/** Of fewer cosines a mean says nothing. */
const MIN_COMPARED = 6;

/** What memories are looked up for. */
export interface Asked {
  question: string;
  /** What meaning counts beside words, both from 0 to 1: as much as the encoder is good for. */
  meaning: number;
}

export interface RankedMemory {
  kind: string;
  confidence: number;
  terms: MemoryTerms;
  /** With the question; null where there is no vector of either. */
  cosine: number | null;
}

/**
 * Those that the question is about, best first: by their words, rare ones counting more (BM25's idf over the memories at
 * hand), fused with how much nearer in meaning each is than the user's others. A cosine alone says little: encoders differ
 * in what they take for far.
 */
export function fittingMemories<T extends RankedMemory>(asked: Asked, memories: readonly T[]): T[] {
  const vocabulary = new Set(memories.flatMap(({ terms: { own, cues } }) => [...own, ...cues]));
  const languages = new Set(memories.flatMap(({ terms: { language } }) => language ?? []));
  const wanted = questionWords(asked.question, [...languages]).map((word) => {
    const matches = matcherOf(word, vocabulary);
    const found = memories.map(({ terms: { own, cues } }) => Math.max(matches(own), CUE_WEIGHT * matches(cues)));
    const having = found.filter((match) => match > 0).length;
    return { found, weight: word.weight * Math.log(1 + (memories.length - having + 0.5) / (having + 0.5)) };
  });
  const whole = wanted.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const meaningOf = meaningAmong(memories);
  return memories
    .map((memory, at) => {
      const overlap = wanted.reduce((sum, { found, weight }) => sum + weight * found[at]!, 0);
      const byWords = (overlap / whole) * (2 / Math.sqrt(Math.max(4, memory.terms.own.size)));
      return { memory, score: (byWords + asked.meaning * meaningOf(memory)) * memory.confidence };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ memory }) => memory);
}

/** How well terms match a word of the question: 1 for the word, less for a part of a compound. */
function matcherOf(word: QuestionWord, vocabulary: ReadonlySet<string>): (terms: ReadonlySet<string>) => number {
  const isThere = word.terms.some((term) => vocabulary.has(term));
  const parts = [...vocabulary].filter(
    (other) =>
      word.prefixes.some((prefix) => other.startsWith(prefix)) ||
      (!isThere && word.terms.some((term) => isPartOf(other, term))),
  );
  return (terms) =>
    word.terms.some((term) => terms.has(term)) ? 1 : parts.some((part) => terms.has(part)) ? PART_WEIGHT : 0;
}

/** `strom` in `stromrechnung`, `essen` in `abendessen`, and the other way round. */
function isPartOf(one: string, other: string): boolean {
  const [part, whole] = one.length < other.length ? [one, other] : [other, one];
  return part.length >= SHORTEST_PART && (whole.startsWith(part) || whole.endsWith(part)) && LATIN.test(whole);
}

/** The eight that fit best, and behind them the newest of those that always count. @param memories newest first */
export function recalledMemories<T extends RankedMemory>(asked: Asked, memories: readonly T[]): T[] {
  const best = fittingMemories(asked, memories).slice(0, MAX_FITTING);
  const always = memories.filter(({ kind }) => ALWAYS.has(kind)).slice(0, MAX_ALWAYS);
  return [...best, ...always.filter((memory) => !best.includes(memory))];
}

/** Those that always count before others, each newest first. */
export function byWeight<T extends RankedMemory>(memories: readonly T[]): T[] {
  const counts = (memory: T): boolean => ALWAYS.has(memory.kind);
  return [...memories.filter(counts), ...memories.filter((memory) => !counts(memory))];
}

/** What a text may bear on: those that fit it among all, then the newest. @param memories newest first */
export function nearestMemories<T extends RankedMemory>(asked: Asked, memories: readonly T[], count: number): T[] {
  return [...new Set([...fittingMemories(asked, memories).slice(0, count), ...memories])].slice(0, count);
}

/** What a judge sees beside a message: what is nearest to it, and some of those that need cues. */
export function memoriesToJudge<T extends RankedMemory & { cues: string }>(asked: Asked, memories: readonly T[]): T[] {
  const without = memories.filter(({ cues }) => cues === '').slice(0, MAX_CUED);
  return [...new Set([...nearestMemories(asked, memories, MAX_SHOWN - without.length), ...without])];
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
