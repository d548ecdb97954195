import type { EntityManager } from 'typeorm';
import type { Plan } from '../plans/plan.js';
import { type LiveSubscription, SUBSCRIPTION_LIVE } from './subscription.js';

/** That of the organisation goes before one's own. */
const FIND = `
  SELECT s.id, s.status, s.plan, s.billing_period, s.seats, s.owner_user_id, s.organization_id,
    (extract(epoch FROM s.trial_end) * 1000)::float8 AS trial_end,
    (extract(epoch FROM s.current_period_end) * 1000)::float8 AS current_period_end
  FROM subscriptions s
  WHERE ${SUBSCRIPTION_LIVE} AND (s.organization_id = $2 OR s.organization_id IS NULL AND s.owner_user_id = $1)
  ORDER BY s.organization_id IS NULL LIMIT 1`;

/** What the account lives on: the subscription of its organisation, else its own. */
export async function findLiveSubscription(
  db: Pick<EntityManager, 'query'>,
  { userId, organizationId }: { userId: number; organizationId: number | null },
): Promise<LiveSubscription | null> {
  const [row] = await db.query<
    {
      id: string;
      status: LiveSubscription['status'];
      plan: Plan;
      billing_period: LiveSubscription['billingPeriod'];
      seats: number;
      owner_user_id: number | null;
      organization_id: number | null;
      trial_end: number | null;
      current_period_end: number | null;
    }[]
  >(FIND, [userId, organizationId]);
  if (!row) return null;
  return {
    id: row.id,
    status: row.status,
    plan: row.plan,
    billingPeriod: row.billing_period,
    seats: row.seats,
    ownerUserId: row.owner_user_id,
    organizationId: row.organization_id,
    trialEnd: row.trial_end,
    currentPeriodEnd: row.current_period_end,
  };
}
