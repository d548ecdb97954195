import type { KeywordHit } from './keyword-search.js';
import type { RankedChunk } from './search-hit.js';
import type { VectorHit } from './vector-search.js';

/**
 * Orders by keyword share and cosine together. `vectorWeight` is the encoder's (0: words alone). Both are absolute
 * measures of 0 to 1, so a score means the same in every search and can be compared with `min_score`.
 */
export function fuse(
  keyword: readonly KeywordHit[],
  vector: readonly VectorHit[],
  vectorWeight: number,
): RankedChunk[] {
  const chunks = new Map<string, RankedChunk>();
  for (const { chunkId, score, share } of keyword)
    chunks.set(chunkId, { chunkId, score: (1 - vectorWeight) * share, keywordScore: score, vectorScore: null });
  for (const { chunkId, cosine } of vector) {
    const known = chunks.get(chunkId) ?? { chunkId, score: 0, keywordScore: null, vectorScore: null };
    chunks.set(chunkId, { ...known, vectorScore: cosine, score: known.score + vectorWeight * Math.max(0, cosine) });
  }
  return [...chunks.values()].sort(
    (left, right) => right.score - left.score || Number(BigInt(left.chunkId) - BigInt(right.chunkId)),
  );
}
