import type { KeywordHit } from './keyword-search.js';
import type { NameHit } from './name-search.js';
import type { RankedChunk } from './search-hit.js';
import type { VectorHit } from './vector-search.js';

/** What a name that holds all that was typed is worth; a name that is less alike counts by the square of likeness. */
const NAME_WEIGHT = 0.9;

export interface Rankings {
  keyword: readonly KeywordHit[];
  vector: readonly VectorHit[];
  named: readonly NameHit[];
  /** Of the encoder; 0: words alone. */
  vectorWeight: number;
}

/**
 * Orders by keyword share and cosine together. Both are absolute measures of 0 to 1, so a score means the same in
 * every search and can be compared with `min_score`. The first passage of a document whose name was typed stands for it.
 */
export function fuse({ keyword, vector, named, vectorWeight }: Rankings): RankedChunk[] {
  const chunks = new Map<string, RankedChunk>();
  const of = (chunkId: string): RankedChunk => {
    const known = chunks.get(chunkId) ?? { chunkId, score: 0, ...UNSCORED, vectorWeight };
    chunks.set(chunkId, known);
    return known;
  };
  for (const { chunkId, score, share } of keyword) {
    const chunk = of(chunkId);
    chunk.keywordScore = score;
    chunk.keywordShare = share;
    chunk.score += (1 - vectorWeight) * share;
  }
  for (const { chunkId, cosine } of vector) {
    const chunk = of(chunkId);
    chunk.vectorScore = cosine;
    chunk.score += vectorWeight * Math.max(0, cosine);
  }
  for (const { chunkId, similarity } of named) {
    const chunk = of(chunkId);
    chunk.nameScore = similarity;
    chunk.score = Math.max(chunk.score, NAME_WEIGHT * similarity ** 2);
  }
  return [...chunks.values()].sort(
    (left, right) => right.score - left.score || Number(BigInt(left.chunkId) - BigInt(right.chunkId)),
  );
}

const UNSCORED = { keywordScore: null, keywordShare: null, vectorScore: null, nameScore: null, rerankScore: null };
