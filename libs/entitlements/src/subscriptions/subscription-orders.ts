import type { EntityManager } from 'typeorm';
import type { BillingPeriod, Plan } from '../plans/plan.js';
import type { BuyingPool } from './subscription-rows.js';

type Queryable = Pick<EntityManager, 'query'>;

export interface NewOrder {
  id: string;
  ownerUserId: number;
  organizationId: number | null;
  plan: Plan;
  billingPeriod: BillingPeriod;
  seats: number;
  couponCode: string | null;
  processor: 'test' | 'stripe';
  customerId: string | null;
  expiresAt: number;
}

/** With the pool locked. */
export async function insertOrder(tx: EntityManager, order: NewOrder): Promise<void> {
  await tx.query(
    `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, coupon_code,
       processor, processor_customer_id, checkout_expires_at)
     VALUES ($1, $2, $3, 'incomplete', $4, $5, $6, $7, $8, $9, $10, to_timestamp($11::float8 / 1000))`,
    [
      order.id,
      order.ownerUserId,
      order.organizationId,
      order.plan.code,
      JSON.stringify(order.plan),
      order.billingPeriod,
      order.seats,
      order.couponCode,
      order.processor,
      order.customerId,
      order.expiresAt,
    ],
  );
}

/** @returns whether the order still waited for its pay page */
export async function keepCheckout(db: Queryable, id: string, opened: { id: string; url: string }): Promise<boolean> {
  const [kept] = await db.query<[unknown[], number]>(
    `UPDATE subscriptions SET processor_checkout_id = $2, checkout_url = $3 WHERE id = $1 AND status = 'incomplete' RETURNING id`,
    [id, opened.id, opened.url],
  );
  return kept.length > 0;
}

/**
 * Ends an order of which the processor knows nothing; one that was paid stays.
 * @param checkoutId as the row had it: whoever got a pay page meanwhile has to close that first
 * @returns whether it is over
 */
export async function closeOrder(db: Queryable, id: string, checkoutId: string | null): Promise<boolean> {
  const [closed] = await db.query<[unknown[], number]>(
    `UPDATE subscriptions SET status = 'incomplete_expired', checkout_url = NULL, updated_at = now()
     WHERE id = $1 AND status = 'incomplete' AND processor_subscription_id IS NULL
       AND processor_checkout_id IS NOT DISTINCT FROM $2 RETURNING id`,
    [id, checkoutId],
  );
  return closed.length > 0;
}

/**
 * How many orders hold the coupon: those whose pay page is open and those that were paid, but for what was given back.
 * Others who ask wait for the end of this transaction.
 */
export async function countRedemptions(tx: EntityManager, couponCode: string): Promise<number> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('coupon:' || $1, 0))`, [couponCode]);
  const [{ count }] = await tx.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM subscriptions
     WHERE coupon_code = $1 AND status <> 'incomplete_expired' AND give_back = 'none'`,
    [couponCode],
  );
  return count;
}

/** Whether the pool, or its buyer, had a plan before: a trial is for those who did not. */
export async function hadPlanBefore(db: Queryable, pool: BuyingPool, buyerId: number): Promise<boolean> {
  const found = await db.query<unknown[]>(
    `SELECT FROM subscriptions WHERE (owner_user_id = $1 OR organization_id = $2) AND processor_subscription_id IS NOT NULL LIMIT 1`,
    [buyerId, 'organizationId' in pool ? pool.organizationId : null],
  );
  return found.length > 0;
}

/** As whom the pool pays at the processor; null when it never did. */
export async function findCustomer(db: Queryable, pool: BuyingPool, processor: string): Promise<string | null> {
  const [row] = await db.query<{ customer: string | null }[]>(
    `SELECT processor_customer_id AS customer FROM subscriptions
     WHERE processor = $3 AND processor_customer_id IS NOT NULL AND processor_subscription_id IS NOT NULL
       AND CASE WHEN $2::int IS NULL THEN organization_id IS NULL AND owner_user_id = $1 ELSE organization_id = $2 END
     ORDER BY created_at DESC LIMIT 1`,
    'userId' in pool ? [pool.userId, null, processor] : [null, pool.organizationId, processor],
  );
  return row?.customer ?? null;
}

export async function noteCancelReason(db: Queryable, id: string, reason: string): Promise<void> {
  await db.query('UPDATE subscriptions SET cancel_reason = $2 WHERE id = $1', [id, reason]);
}

/** Moves it into another pool, with both locked. */
export async function movePool(tx: EntityManager, id: string, organizationId: number | null): Promise<void> {
  await tx.query('UPDATE subscriptions SET organization_id = $2 WHERE id = $1', [id, organizationId]);
}

/** @returns whether the processor may be asked about it: not again within the time, whoever asks */
export async function mayAsk(db: Queryable, id: string, seconds: number): Promise<boolean> {
  const [asked] = await db.query<[unknown[], number]>(
    `UPDATE subscriptions SET updated_at = now() WHERE id = $1 AND updated_at < now() - make_interval(secs => $2) RETURNING id`,
    [id, seconds],
  );
  return asked.length > 0;
}
