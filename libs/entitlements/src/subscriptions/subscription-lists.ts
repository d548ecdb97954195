import type { EntityManager } from 'typeorm';

type Queryable = Pick<EntityManager, 'query'>;

export interface PaidSubscription {
  id: string;
  planCode: string;
  planName: string;
  billingPeriod: 'monthly' | 'yearly';
  seats: number;
  couponCode: string | null;
  processorSubscriptionId: string;
}

/** Whatever was paid for by the account, or by the organisation that it answers for. The newest first. */
export async function listPaid(
  db: Queryable,
  of: { userId: number; organizationId: number | null; processor: string },
): Promise<PaidSubscription[]> {
  const rows = await db.query<
    {
      id: string;
      plan_code: string;
      plan_name: string | null;
      billing_period: 'monthly' | 'yearly';
      seats: number;
      coupon_code: string | null;
      subscription_id: string | null;
    }[]
  >(
    `SELECT id, plan_code, plan->>'name' AS plan_name, billing_period, seats, coupon_code,
       processor_subscription_id AS subscription_id
     FROM subscriptions
     WHERE (owner_user_id = $1 OR organization_id = $2) AND processor = $3 AND processor_subscription_id IS NOT NULL
     ORDER BY created_at DESC, id LIMIT 100`,
    [of.userId, of.organizationId, of.processor],
  );
  return rows.map((row) => ({
    id: row.id,
    planCode: row.plan_code,
    planName: row.plan_name ?? row.plan_code,
    billingPeriod: row.billing_period,
    seats: row.seats,
    couponCode: row.coupon_code,
    processorSubscriptionId: row.subscription_id ?? '',
  }));
}

/**
 * Orders whose pay page is over, and payments that are still to be given back: those that nobody has looked at for ten
 * seconds, and for a twentieth of their age, an hour at most. What a processor refuses for good is not asked for all the time.
 */
export async function listWaiting(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT id FROM subscriptions
     WHERE (status = 'incomplete' OR give_back = 'due') AND (give_back = 'due' OR checkout_expires_at < now())
       AND updated_at < now() - least(interval '1 hour', greatest(interval '10 seconds', (now() - created_at) / 20))
     ORDER BY updated_at LIMIT $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** What the account pays for, or has on order. */
export async function listUnendedOf(db: Queryable, userId: number): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT id FROM subscriptions WHERE owner_user_id = $1
       AND (status NOT IN ('canceled', 'incomplete_expired') OR give_back = 'due') ORDER BY created_at, id`,
    [userId],
  );
  return rows.map(({ id }) => id);
}

/** Trials that end soon and of which nobody was told, from now on told. */
export async function claimEndingTrials(
  tx: EntityManager,
  { withinDays, limit }: { withinDays: number; limit: number },
): Promise<{ id: string; ownerUserId: number | null; planName: string; trialEnd: Date }[]> {
  const [rows] = await tx.query<
    [{ id: string; owner_user_id: number | null; plan_name: string | null; trial_end: Date | null }[], number]
  >(
    `UPDATE subscriptions SET trial_end_told_at = now() WHERE id IN (
       SELECT id FROM subscriptions WHERE status = 'trialing' AND trial_end_told_at IS NULL
         AND trial_end < now() + make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id, owner_user_id, plan->>'name' AS plan_name, trial_end`,
    [withinDays, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    ownerUserId: row.owner_user_id,
    planName: row.plan_name ?? '',
    trialEnd: row.trial_end ?? new Date(),
  }));
}
