import type { DataSource } from 'typeorm';
import type { Feature } from '../plans/features.js';
import { SUBSCRIPTION_LIVE } from './subscription.js';

/** Whom plans give the feature that are paid for, or were: organisations, and accounts that have a plan of their own. */
export async function listPoolsWith(
  db: DataSource,
  feature: Feature,
): Promise<{ organizations: number[]; accounts: number[] }> {
  const rows = await db.query<{ organization_id: number | null; owner_user_id: number | null }[]>(
    `SELECT s.organization_id, s.owner_user_id FROM subscriptions s
     WHERE ${SUBSCRIPTION_LIVE} AND s.plan->'features'->>$1 = 'true'`,
    [feature],
  );
  return {
    organizations: rows.flatMap(({ organization_id: id }) => id ?? []),
    accounts: rows.flatMap(({ organization_id, owner_user_id: id }) => (organization_id === null ? (id ?? []) : [])),
  };
}
