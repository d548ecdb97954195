/**
 * Saturation of repetitions, and how much a long passage is held against itself. With these Cranfield has an nDCG@10 of
 * 0.386 (`npm run bench -- retrieval`). A higher K1 is better for its long abstracts and worse for short texts.
 */
export const K1 = 1.6;
export const B = 0.75;

/** A literal of `double precision`: Postgres takes plain decimals for `numeric`, which is fifty times as slow. */
const float = (value: number) => `${value}::float8`;

/** SQL of one term's inverse document frequency, of `found` chunks among `chunks`. */
export function idf(found: string, chunks: string): string {
  return `ln(1 + (greatest(${chunks} - ${found}, 0) + ${float(0.5)}) / (${found} + ${float(0.5)}))`;
}

/** SQL of what a chunk's length adds to the counts of its terms in `saturation`; once per chunk. */
export function lengthNorm(length: string, meanLength: string): string {
  return `(${float(K1 * (1 - B))} + ${float(K1 * B)} * ${length} / ${meanLength})`;
}

/** SQL of the share that one term has in a chunk's score, without its idf: 0 when absent, below `K1 + 1`. */
export function saturation(count: string, norm: string): string {
  return `${float(K1 + 1)} * ${count} / (${count} + ${norm})`;
}

/** What `idf` says. */
export function inverseFrequency(found: number, chunks: number): number {
  return Math.log(1 + (Math.max(0, chunks - found) + 0.5) / (found + 0.5));
}
