/** Saturation of repetitions, and how much a long passage is held against itself: Robertson's usual values. */
export const K1 = 1.2;
export const B = 0.75;

/** SQL of one term's inverse document frequency, of `found` chunks among `chunks`. */
export function idf(found: string, chunks: string): string {
  return `ln(1 + (greatest(${chunks} - ${found}, 0) + 0.5) / (${found} + 0.5))`;
}

/** SQL of the share that one term has in a chunk's score, without its idf: 0 when absent, below `K1 + 1`. */
export function saturation(count: string, length: string, meanLength: string): string {
  return `${count} * ${K1 + 1} / (${count} + ${K1} * (1 - ${B} + ${B} * ${length} / ${meanLength}))`;
}
