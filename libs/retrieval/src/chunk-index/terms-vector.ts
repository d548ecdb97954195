/**
 * How a chunk's terms are written into a `tsvector`.
 *
 * Each term carries the owner's number in front, so that the GIN index is one inverted index per owner: a search reads
 * postings of the viewer's corpus only, whatever others have stored. How often a term occurs stands in the weight classes
 * of one or two positions; `ts_rank` with `CLASS_COUNTS` reads it back: a class alone is its count, and a lower class
 * before a higher one adds its own.
 */
const CLASSES = { D: 1, C: 2, B: 4, A: 8 } as const;

/** Positions by count; index 0 is a count of 1. More than the last rank as the last does. */
const POSITIONS = [
  '1D',
  '1C',
  '1D,2C',
  '1B',
  '1D,2B',
  '1C,2B',
  '1A',
  '1A',
  '1D,2A',
  '1C,2A',
  '1C,2A',
  '1B,2A',
] as const;

/** Weights may not exceed 1. */
const WEIGHT_UNIT = 0.1;

/** What `ts_rank` is given as the weights of D, C, B and A. */
export const CLASS_COUNTS = `'{${Object.values(CLASSES)
  .map((count) => (count * WEIGHT_UNIT).toFixed(2))
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
    return `${lexemeLiteral(ownerId, term)}:${POSITIONS[Math.min(count, POSITIONS.length) - 1]}`;
  }).join(' ');
}

/** One term as it stands in the literal of a `tsquery`. */
export function lexemeLiteral(ownerId: number, term: string): string {
  return quote(lexeme(ownerId, term));
}

/** One term as the index has it. */
export function lexeme(ownerId: number, term: string): string {
  return `${ownerId.toString(36)}:${term}`;
}
