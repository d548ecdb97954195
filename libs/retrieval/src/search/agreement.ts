/** Passages that words found best, whose place among the nearest is looked at: no more than a quarter of the scope. */
const JUDGED = 30;
const SHARE_JUDGED = 0.25;
/** Fewer tell nothing, and the encoder is believed. */
const ENOUGH = 8;
/**
 * Standard deviations above chance: below the first the two rankings do not agree at all, from the second on they do.
 * Chosen on half of Cranfield's questions, where vectors drawn by lot have 2.1 at most in 95 of 100 questions, the weak
 * built-in encoder 6.5 in every other one, latent semantic analysis at least 14 in 95 (test/bench/README.md).
 */
const [CHANCE, SURE] = [2, 4];

/**
 * How far an encoder is to be believed for a question, 0 to 1. What words found best is nearer to the question than
 * other passages are, if the vectors mean anything; if they are as good as drawn by lot (a wrong model, a broken
 * endpoint), it lies anywhere among them.
 * @param keyword best first
 * @param near the nearest, best first
 * @param vectors how many there are in the scope
 */
export function agreement(
  keyword: readonly { chunkId: string }[],
  near: readonly { chunkId: string }[],
  vectors: number,
): number {
  const judged = keyword.slice(0, Math.min(JUDGED, Math.floor(vectors * SHARE_JUDGED)));
  if (judged.length < ENOUGH || near.length === 0) return 1;
  const ranks = new Map(near.map(({ chunkId }, at) => [chunkId, at]));
  const compared = Math.min(1, near.length / vectors);
  // How high each stands among all vectors, 0 to 1; those that are not among the nearest stand anywhere below.
  const heights = judged.map(({ chunkId }) => {
    const rank = ranks.get(chunkId);
    return rank === undefined ? (1 - compared) / 2 : 1 - (rank + 0.5) / vectors;
  });
  const mean = heights.reduce((sum, height) => sum + height, 0) / heights.length;
  const deviations = (mean - 0.5) / Math.sqrt(varianceByChance(compared) / heights.length);
  return Math.min(1, Math.max(0, (deviations - CHANCE) / (SURE - CHANCE)));
}

/** Of one height when vectors are drawn by lot. */
function varianceByChance(compared: number): number {
  return compared * ((1 - compared / 2) ** 2 + compared ** 2 / 12) + (1 - compared) ** 3 / 4 - 0.25;
}
