import { type MonthlyKind, monthOf, readMonths } from '@app/entities';
import type { EntityManager } from 'typeorm';
import type { Pool } from '../subscriptions/subscription.js';

type Database = Pick<EntityManager, 'query'>;

/** Of counters and notices. */
export function poolKey(pool: Pool): string {
  return pool.type === 'organization' ? `o${pool.organizationId}` : `u${pool.userId}`;
}

/**
 * Runs that completed in a month on this pool, without those that other runs called. Exact, and never less than before:
 * nothing that is deleted is taken off.
 * @param month such as `2026-11`, in UTC
 */
export function runsOfMonth(db: Database, pool: Pool, month = monthOf()): Promise<number> {
  return ofMonth(db, pool, 'workflow_runs', month);
}

/** Tokens, read and written, that the ledger of models has of the month; what was used within the last second may follow. */
export function tokensOfMonth(db: Database, pool: Pool, month = monthOf()): Promise<number> {
  return ofMonth(db, pool, 'model_tokens', month);
}

async function ofMonth(db: Database, pool: Pool, kind: MonthlyKind, month: string): Promise<number> {
  const key = poolKey(pool);
  return (await readMonths(db, { kind, keys: [key], month })).get(key) ?? 0;
}
