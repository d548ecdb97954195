import type { EntityManager } from 'typeorm';
import type { MonthlyKind } from './kept-totals.js';

type Database = Pick<EntityManager, 'query'>;

/** Whole months before the one under way. */
export const MONTHS_KEPT = 24;

/** A total that became another one since it was last looked at. */
export interface ChangedTotal {
  kind: MonthlyKind | 'storage';
  key: string;
  part: string;
}

/** What an account used in a month, by the shared organisation that it belonged to at that time. */
export interface OwnMonth {
  kind: MonthlyKind;
  month: string;
  organization_id: number | null;
  value: number;
}

/** @returns such as `2026-11`, in UTC */
export function monthOf(date = new Date()): string {
  return date.toISOString().slice(0, 7);
}

/**
 * What was counted of this kind in a month, by key: `u` or `o` and an id. Keys of nothing are left out.
 * @param organizationId of accounts, only what they used as its members
 */
export async function readMonths(
  db: Database,
  {
    kind,
    keys,
    month,
    organizationId = null,
  }: { kind: MonthlyKind; keys: readonly string[]; month: string; organizationId?: number | null },
): Promise<Map<string, number>> {
  const rows = await db.query<{ key: string; value: number }[]>(
    `SELECT key, sum(value)::float8 AS value FROM (
       SELECT key, part, value FROM kept_totals WHERE kind = $1 AND key = ANY ($2::text[])
       UNION ALL SELECT key, part, change FROM kept_total_changes WHERE kind = $1 AND key = ANY ($2::text[])) counted
     WHERE left(part, 7) = $3 AND ($4::int IS NULL OR part = $3 || '/o' || $4) GROUP BY key`,
    [kind, keys, month, organizationId],
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/** Of an account, all months, the newest first. */
export function readOwnMonths(db: Database, userId: number): Promise<OwnMonth[]> {
  return db.query<OwnMonth[]>(
    `SELECT kind, left(part, 7) AS month, nullif(substr(part, 10), '')::int AS organization_id, sum(value)::float8 AS value
     FROM (SELECT kind, part, value FROM kept_totals WHERE kind IN ('workflow_runs', 'model_tokens') AND key = 'u' || $1::int
       UNION ALL SELECT kind, part, change FROM kept_total_changes
         WHERE kind IN ('workflow_runs', 'model_tokens') AND key = 'u' || $1::int) counted
     GROUP BY 1, 2, 3 ORDER BY 2 DESC, 1, 3`,
    [userId],
  );
}

/**
 * Takes totals that have changed, in the transaction that looks at them: nobody else is given them until they change
 * again, or until that transaction came to nothing. A look is as exact as the last folding.
 */
export async function claimChangedTotals(tx: EntityManager, limit: number): Promise<ChangedTotal[]> {
  const [rows] = await tx.query<[ChangedTotal[], number]>(
    `UPDATE kept_totals SET looked_value = value WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM kept_totals
       WHERE looked_value IS DISTINCT FROM value AND kind IN ('workflow_runs', 'model_tokens', 'storage')
       LIMIT $1 FOR UPDATE SKIP LOCKED))
     RETURNING kind, key, part`,
    [limit],
  );
  return rows;
}

/** @returns how many totals of months that are no longer kept went */
export async function dropOldMonths(db: Database): Promise<number> {
  const [, count] = await db.query<[unknown, number]>(
    `DELETE FROM kept_totals WHERE kind IN ('workflow_runs', 'model_tokens')
       AND left(part, 7) < to_char((now() AT TIME ZONE 'UTC') - ${MONTHS_KEPT} * interval '1 month', 'YYYY-MM')`,
  );
  return count;
}

/** @returns how many rows went */
export async function forgetOwnMonths(tx: EntityManager, userId: number): Promise<number> {
  const own = `kind IN ('workflow_runs', 'model_tokens') AND key = 'u' || $1::int`;
  // In this order: what a fold has in hand is waited for, and is a total then.
  const [, changes] = await tx.query<[unknown, number]>(`DELETE FROM kept_total_changes WHERE ${own}`, [userId]);
  const [, totals] = await tx.query<[unknown, number]>(`DELETE FROM kept_totals WHERE ${own}`, [userId]);
  return changes + totals;
}
