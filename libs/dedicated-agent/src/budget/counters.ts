import type { EntityManager } from 'typeorm';
import type { BudgetScope } from './caps.js';

export interface CounterRow {
  key: string;
  scope: BudgetScope;
  spentCost: number;
  spentTokens: number;
  reservedCost: number;
  reservedTokens: number;
  calls: number;
  unpricedCalls: number;
  refusedCost: number | null;
  refusedTokens: number | null;
  told: string[];
}

const COLUMNS = `s.key, s.scope, s.spent_cost::float8 AS "spentCost", s.spent_tokens::float8 AS "spentTokens",
  s.reserved_cost::float8 AS "reservedCost", s.reserved_tokens::float8 AS "reservedTokens", s.calls,
  s.unpriced_calls AS "unpricedCalls", s.refused_cost::float8 AS "refusedCost", s.refused_tokens::float8 AS "refusedTokens", s.told`;

/** Makes those that are not there yet, and locks all of them, in the order of their keys. */
export async function lockCounters(
  tx: EntityManager,
  agentId: string,
  counters: readonly { key: string; scope: BudgetScope }[],
): Promise<CounterRow[]> {
  const found = await readCounters(tx, agentId, counters, 'locked');
  if (found.length === counters.length) return found;
  const missing = counters.filter(({ key }) => !found.some((one) => one.key === key));
  await tx.query(
    `INSERT INTO dedicated_agent_spending (agent_id, key, scope)
     SELECT $1, n.key, n.scope FROM unnest($2::text[], $3::text[]) AS n (key, scope) ORDER BY n.key
     ON CONFLICT (agent_id, key) DO NOTHING`,
    [agentId, missing.map(({ key }) => key), missing.map(({ scope }) => scope)],
  );
  return readCounters(tx, agentId, counters, 'locked');
}

/** Those that are there, by key. */
export async function readCounters(
  tx: EntityManager,
  agentId: string,
  counters: readonly { key: string }[],
  how: 'locked' | 'seen' = 'seen',
): Promise<CounterRow[]> {
  const values = [agentId, counters.map(({ key }) => key)];
  const where = 's.agent_id = $1 AND s.key = ANY ($2)';
  return how === 'locked'
    ? tx.query<CounterRow[]>(
        `SELECT ${COLUMNS} FROM dedicated_agent_spending s WHERE ${where} ORDER BY s.key FOR UPDATE`,
        values,
      )
    : tx.query<CounterRow[]>(`SELECT ${COLUMNS} FROM dedicated_agent_spending s WHERE ${where} ORDER BY s.key`, values);
}
