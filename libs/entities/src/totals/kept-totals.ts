import type { DataSource } from 'typeorm';

/** Changes that one statement folds in. */
const BATCH = 5_000;

/** What is added up in the transaction that changes it; the triggers are in `../functions/count-*.ts`. */
export type TotalKind =
  /** Bytes by account; parts `media` (documents, table files) and `workflow` (files that workflows wrote). */
  | 'storage'
  /** Ended webhook requests by workflow; parts are their states. */
  | 'webhook_requests'
  /** Chunks, and terms in them, of an account's documents that answer; a part is `[embedding model, [languages]]`. */
  | 'readable_chunks'
  | 'readable_terms'
  | MonthlyKind;

/**
 * What is never taken back, by month: keys are `u<account>` and `o<shared organisation>`. A part is a month such as
 * `2026-11`; that of an account ends in `/o<organisation>` where it was a member of a shared one at that time.
 */
export type MonthlyKind =
  /** Runs that completed, without those that other runs called. */
  | 'workflow_runs'
  /** Tokens, read and written, by the ledger of models. */
  | 'model_tokens';

/**
 * SQL: the rows `(kind, part, value)` that add up to these totals: several of a part, and none of what is zero. One
 * statement sees each total as it is in its snapshot; two may not.
 * @param key SQL of a text: whose
 */
export function totalsOf(kinds: readonly TotalKind[], key: string): string {
  const where = `kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')}) AND key = ${key}`;
  return `(SELECT kind, part, value FROM kept_totals WHERE ${where}
    UNION ALL SELECT kind, part, change FROM kept_total_changes WHERE ${where})`;
}

/**
 * Folds the changes into the totals, and drops totals that became zero. Several at once share the work; whoever reads
 * meanwhile sees the same sums. @returns how many changes were folded
 */
export async function foldTotals(dataSource: DataSource): Promise<number> {
  let folded = 0;
  for (;;) {
    const [{ count }] = await dataSource.query<[{ count: number }]>(FOLD, [BATCH]);
    folded += count;
    if (count < BATCH) break;
  }
  if (folded > 0) await dataSource.query(DROP_EMPTY);
  return folded;
}

/** In the order of the key, so that two that fold at once do not wait for each other in a circle. */
const FOLD = `WITH taken AS (
    DELETE FROM kept_total_changes WHERE id = ANY(ARRAY(
      SELECT id FROM kept_total_changes ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING kind, key, part, change),
  folded AS (
    INSERT INTO kept_totals AS t (kind, key, part, value)
    SELECT kind, key, part, sum(change)::bigint FROM taken GROUP BY kind, key, part ORDER BY kind, key, part
    ON CONFLICT (kind, key, part) DO UPDATE SET value = t.value + excluded.value)
  SELECT count(*)::int AS count FROM taken`;

/** Passes over what another fold holds, which would wait for this one in its turn: the next drops it. */
const DROP_EMPTY = `DELETE FROM kept_totals WHERE value = 0 AND ctid = ANY(ARRAY(
    SELECT ctid FROM kept_totals WHERE value = 0 FOR UPDATE SKIP LOCKED))`;
