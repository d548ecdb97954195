/**
 * How a chunk's terms are written into a `tsvector`.
 *
 * Each term carries the owner's number in front, so that the GIN index is one inverted index per owner: a search reads
 * postings of the viewer's corpus only, whatever others have stored. A term has one position, whose weight class tells
 * how often it occurs; `ts_rank` with `CLASS_COUNTS` reads it back. For passages of a few hundred words, four classes
 * rank as well as exact counts.
 */
const CLASSES = [
  { atLeast: 5, letter: 'A', count: 6 },
  { atLeast: 3, letter: 'B', count: 3.4 },
  { atLeast: 2, letter: 'C', count: 2 },
  { atLeast: 1, letter: 'D', count: 1 },
] as const;

/** Weights may not exceed 1. */
const WEIGHT_UNIT = 0.1;

/** What `ts_rank` is given as the weights of D, C, B and A. */
export const CLASS_COUNTS = `'{${CLASSES.map(({ count }) => (count * WEIGHT_UNIT).toFixed(2))
  .toReversed()
  .join(',')}}'`;

/** `ts_rank` of one term with one position is its weight over the sum of 1/i²; this makes a count of it again. */
export const RANK_SCALE = 1.64493406685 / WEIGHT_UNIT;

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** The literal of a `tsvector`; `terms` with repetitions, in any order. */
export function termsVector(ownerId: number, terms: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return Array.from(counts, ([term, count]) => {
    const { letter } = CLASSES.find(({ atLeast }) => count >= atLeast)!;
    return `${lexemeLiteral(ownerId, term)}:1${letter}`;
  }).join(' ');
}

/** One term as it stands in the literal of a `tsquery`. */
export function lexemeLiteral(ownerId: number, term: string): string {
  return quote(`${ownerId.toString(36)}:${term}`);
}
