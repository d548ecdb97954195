import type { DataSource } from 'typeorm';

/**
 * Which of these queries any chunk matches, each looked up in the index by itself: what is not there costs some ten
 * microseconds, however large the index is. Postgres would rather read chunks until one matches: it guesses that many
 * do, and reads all of them, for seconds, when none does.
 * @param queries literals of `tsquery`, some thousands at most
 * @param limit of matches; the rest is then told as not there
 */
export async function wordsThere(dataSource: DataSource, queries: readonly string[], limit = queries.length) {
  if (queries.length === 0) return [];
  const rows = await dataSource.transaction(async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off');
    return tx.query<{ at: string }[]>(
      `SELECT word.at FROM unnest($1::tsquery[]) WITH ORDINALITY AS word (query, at)
       WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.terms @@ word.query) LIMIT $2`,
      [queries, limit],
    );
  });
  const there = new Set(rows.map(({ at }) => Number(at)));
  return queries.map((_, index) => there.has(index + 1));
}
