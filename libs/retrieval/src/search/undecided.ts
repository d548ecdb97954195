import type { KeywordHit } from './keyword-search.js';
import type { VectorHit } from './vector-search.js';

/** How much nearer a passage may be than the last of those that were compared, and not have been among them. */
const MISSED_BY = 0.05;
/** The last quarter of those that were compared is there by mistake as likely as not. */
const SURELY_COMPARED = 0.75;

/**
 * The passages that have the words, were not compared with the question, and could be among the `wanted` best by both
 * together: of the others the direction need not be read, which is dear.
 */
export function undecided(found: {
  keyword: readonly KeywordHit[];
  /** Best first. */
  near: readonly VectorHit[];
  vectorWeight: number;
  wanted: number;
}): string[] {
  const { keyword, near, vectorWeight, wanted } = found;
  const words = new Map(keyword.map(({ chunkId, share }) => [chunkId, (1 - vectorWeight) * share]));
  const least = new Map(words);
  for (const { chunkId, cosine } of near)
    least.set(chunkId, (words.get(chunkId) ?? 0) + vectorWeight * Math.max(0, cosine));
  const compared = new Set(near.map(({ chunkId }) => chunkId));
  const lastWanted = [...least.values()].sort((left, right) => right - left)[wanted - 1] ?? 0;
  const last = near[Math.floor((near.length - 1) * SURELY_COMPARED)]?.cosine ?? 1;
  const most = vectorWeight * Math.min(1, Math.max(0, last) + MISSED_BY);
  return keyword
    .map(({ chunkId }) => chunkId)
    .filter((chunkId) => !compared.has(chunkId) && words.get(chunkId)! + most >= lastWanted);
}
