import { inverseFrequency } from './bm25.js';

/**
 * Which chunks are worth scoring when a corpus is large. Two words that stand in half of 50,000 chunks would have
 * nearly all of them scored, though only chunks with both can be among the best. So candidates are the chunks whose
 * matching terms together weigh (by idf) at least a threshold, and the threshold is chosen from a sample so that they
 * are few enough. The index evaluates that condition without reading the chunks.
 */

/** One chunk in so many is in the sample at most; the partial index `chunks_terms_sample` has the same number. */
export const SAMPLE_RATE = 64;
/** Of fewer chunks than these a sample of one in 64 would tell too little. */
const SMALL = 12_000;
const SMALL_RATE = 8;
/** More than this many chunks of a sample tell nothing more. */
const SAMPLE_ENOUGH = 3000;
/**
 * Scoring takes some 8 microseconds a chunk. Among 200,000 passages of common words, the best ten of these are 91 % of
 * those of 20,000 candidates; with twice as many, 92 %.
 */
const MOST = 2500;
/** Never fewer than this (by estimate), or the list would run dry. */
const FEWEST = 500;
/** Of so many terms and more each chunk of the sample costs more, and each term matters less. */
export const MANY_TERMS = 24;
/** Lighter terms than these choose no candidates (they still count in scores): the condition would grow too long. */
const CHOOSING_TERMS = 6;

export interface SampleGroup {
  /** A character for each term: `1` where it occurs. */
  mask: string;
  /** Chunks of the sample. */
  count: number;
}

export interface CandidateChoice {
  /** Estimated chunks with each term. */
  found: number[];
  /** Indexes of the terms that all their chunks are candidates for; their real counts are seen while scoring. */
  alone: ReadonlySet<number>;
  /** Indexes of the terms that no chunk of the sample has. */
  unseen: readonly number[];
  /** A condition on terms: `write(i)` spells term i, `&` and `|` join. */
  condition(write: (term: number) => string): string;
}

/** One chunk in how many is looked at: from 12,000 chunks on a multiple of `SAMPLE_RATE`. */
export function sampleRate(chunks: number, termCount = 0): number {
  if (chunks < SMALL) return SMALL_RATE;
  const enough = termCount > MANY_TERMS ? SAMPLE_ENOUGH / 2 : SAMPLE_ENOUGH;
  return SAMPLE_RATE * Math.max(1, Math.floor(chunks / (SAMPLE_RATE * enough)));
}

/**
 * @param terms what each weighs beside the others, 0 to 1
 * @param sample of one chunk in `sampleRate(chunks, terms.length)`
 */
export function chooseCandidates(
  terms: readonly { weight: number }[],
  chunks: number,
  sample: readonly SampleGroup[],
): CandidateChoice {
  const rate = sampleRate(chunks, terms.length);
  const seen = terms.map((_, term) => sample.reduce((sum, { mask, count }) => sum + (has(mask, term) ? count : 0), 0));
  // A term that the sample missed stands in some chunks all the same.
  const found = seen.map((count) => Math.max(count, 0.5) * rate);
  const weighed = terms
    .map(({ weight }, term) => ({ term, weight: weight * inverseFrequency(found[term]!, chunks) }))
    .sort((left, right) => right.weight - left.weight);
  // What the sample missed is in few chunks, which are all looked at: it is not what tells the others apart.
  const rare = weighed.filter(({ term }) => seen[term] === 0).map(({ term }) => term);
  const choosing = weighed.filter(({ term }) => seen[term]! > 0).slice(0, CHOOSING_TERMS);
  const threshold = thresholdFor(choosing, sample, rate);
  return {
    found,
    unseen: terms.map((_, term) => term).filter((term) => seen[term] === 0),
    alone: new Set([...rare, ...choosing.filter(({ weight }) => weight >= threshold).map(({ term }) => term)]),
    condition: (write) => {
      const common = choosing.length === 0 ? [] : [spell(choosing, threshold, write) ?? anyOf(choosing, write)];
      return [...rare.map(write), ...common].join(' | ');
    },
  };
}

const anyOf = (terms: readonly WeighedTerm[], write: (term: number) => string) =>
  terms.map(({ term }) => write(term)).join(' | ');

const has = (mask: string, term: number) => mask[term] === '1';

interface WeighedTerm {
  term: number;
  weight: number;
}

function thresholdFor(terms: readonly WeighedTerm[], sample: readonly SampleGroup[], rate: number): number {
  const groups = sample
    .map(({ mask, count }) => ({
      count: count * rate,
      weight: terms.reduce((sum, { term, weight }) => sum + (has(mask, term) ? weight : 0), 0),
    }))
    .sort((left, right) => right.weight - left.weight);
  let candidates = 0;
  let threshold = Number.POSITIVE_INFINITY;
  for (const { count, weight } of groups) {
    if (candidates >= FEWEST && candidates + count > MOST) return threshold;
    candidates += count;
    // The sums of the same terms in another order may differ in their last digits.
    threshold = weight - 1e-9;
  }
  return 0;
}

/** The condition that the terms present weigh at least `needed`; null when they cannot. Heaviest terms first. */
function spell(terms: readonly WeighedTerm[], needed: number, write: (term: number) => string): string | null {
  if (terms.reduce((sum, { weight }) => sum + weight, 0) < needed) return null;
  const [first, ...rest] = terms;
  if (!first) return null;
  const enough = terms.filter(({ weight }) => weight >= needed);
  if (enough.length === terms.length) return enough.map(({ term }) => write(term)).join(' | ');
  const without = spell(rest, needed, write);
  const alone = first.weight >= needed;
  const other = alone ? null : spell(rest, needed - first.weight, write);
  const withFirst = alone ? write(first.term) : other === null ? null : `${write(first.term)} & (${other})`;
  return [withFirst, without].filter((side) => side !== null).join(' | ') || null;
}
