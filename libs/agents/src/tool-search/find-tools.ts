import type { SearchedTool, ToolIndex } from './tool-index.js';

/** How alike the query is to each tool, in the order of the tools; null where nobody can tell (in time). */
export type LikenessOf = (query: string, tools: readonly SearchedTool[]) => Promise<(number | null)[] | null>;

/** Of reciprocal ranks. */
const K = 20;

export interface ToolQuery {
  query: string;
  /** The same in English. */
  words?: string;
}

/** The tools that fit best, by words and, where there is an encoder, by meaning. */
export async function findTools<T extends SearchedTool>(
  index: ToolIndex<T>,
  { query, words = '' }: ToolQuery,
  limit: number,
  likeness?: { of: LikenessOf; weight: number },
): Promise<T[]> {
  const text = words === '' ? query : `${query} ${words}`;
  const byWords = index.scores(text);
  const like = likeness ? await likeness.of(text, index.tools) : null;
  const wordRanks = ranks(byWords);
  const likeRanks = like ? ranks(like.map((one) => one ?? 0)) : null;
  const weight = likeness?.weight ?? 0;
  return index.tools
    .map((tool, at) => {
      const said = byWords[at]! > 0 ? (1 - weight) / (K + wordRanks[at]!) : 0;
      const meant = likeRanks && (like![at] ?? 0) > 0 ? weight / (K + likeRanks[at]!) : 0;
      return { tool, score: likeRanks ? said + meant : byWords[at]! };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

/** Of each, 1 for the highest. */
function ranks(scores: readonly number[]): number[] {
  const order = scores.map((score, at) => ({ score, at })).sort((a, b) => b.score - a.score);
  const places: number[] = [];
  for (const [rank, { at }] of order.entries()) places[at] = rank + 1;
  return places;
}
