import type { SearchHit } from '../search/search-hit.js';

/** Of reciprocal ranks: small, because lists are as short as what is shown of them. */
const RANK_OFFSET = 2;
/** What a query of a model counts beside the words of the question, which nobody can have misunderstood. */
const WRITTEN_WEIGHT = 1.25;
/** Of what is shown, that much at least is what the words find first: no model can lose it. */
const OWN_SHARE = 1 / 3;

/**
 * One list of several searches by reciprocal ranks: what many found, and what each found first, comes first. As far as
 * there is room, the best third of what the words find and the best of each query are in it. A passage that stands in
 * several lists is taken once, with its best score.
 * @param written lists of the queries that a model wrote, best hit first
 * @param own that of the words of the question
 * @param limit at least 1
 */
export function fuseHits(
  written: readonly (readonly SearchHit[])[],
  own: readonly SearchHit[],
  limit: number,
): SearchHit[] {
  if (written.length === 0) return own.slice(0, limit);
  const lists = [...written.map((hits) => ({ hits, weight: WRITTEN_WEIGHT })), { hits: own, weight: 1 }];
  const found = new Map<string, { hit: SearchHit; worth: number }>();
  for (const { hits, weight } of lists)
    for (const [rank, hit] of hits.entries()) {
      const known = found.get(hit.chunkId);
      const best = known && known.hit.score >= hit.score ? known.hit : hit;
      const worth = (known?.worth ?? 0) + weight / (RANK_OFFSET + rank);
      found.set(hit.chunkId, { hit: best, worth });
    }
  const share = Math.max(1, Math.floor(limit * OWN_SHARE));
  const best = [...own.slice(0, share), ...written.flatMap(([first]) => (first ? [first] : []))];
  const sure = new Set(best.map(({ chunkId }) => chunkId).slice(0, limit));
  const ranked = [...found.values()].sort((left, right) => right.worth - left.worth);
  const others = ranked.filter(({ hit }) => !sure.has(hit.chunkId)).slice(0, limit - sure.size);
  const kept = new Set([...sure, ...others.map(({ hit }) => hit.chunkId)]);
  return ranked.filter(({ hit }) => kept.has(hit.chunkId)).map(({ hit }) => hit);
}
