import type { EntityManager } from 'typeorm';
import type { BillingPeriod, Plan } from '../plans/plan.js';
import { LIVE_STATUSES, type LiveSubscription, SUBSCRIPTION_LIVE, type SubscriptionStatus } from './subscription.js';

type Queryable = Pick<EntityManager, 'query'>;

/** A subscription with what the processor calls it. Times in milliseconds. */
export interface SubscriptionRow extends Omit<LiveSubscription, 'status'> {
  readonly status: SubscriptionStatus;
  readonly couponCode: string | null;
  readonly processor: 'test' | 'stripe';
  readonly processorCustomerId: string | null;
  readonly processorSubscriptionId: string | null;
  readonly processorCheckoutId: string | null;
  readonly checkoutUrl: string | null;
  readonly checkoutExpiresAt: number | null;
  readonly canceledAt: number | null;
  readonly cancelReason: string | null;
  readonly createdAt: number;
  /** The number of the reading that was last written. */
  readonly readWritten: number;
  readonly giveBack: 'none' | 'due' | 'done';
}

interface Row {
  id: string;
  owner_user_id: number | null;
  organization_id: number | null;
  status: SubscriptionStatus;
  plan: Plan;
  billing_period: BillingPeriod;
  seats: number;
  coupon_code: string | null;
  processor: 'test' | 'stripe';
  processor_customer_id: string | null;
  processor_subscription_id: string | null;
  processor_checkout_id: string | null;
  checkout_url: string | null;
  checkout_expires_at: Date | null;
  trial_end: Date | null;
  current_period_end: Date | null;
  canceled_at: Date | null;
  cancel_reason: string | null;
  created_at: Date;
  read_written: number;
  give_back: 'none' | 'due' | 'done';
}

const COLUMNS = `s.id, s.owner_user_id, s.organization_id, s.status, s.plan, s.billing_period, s.seats, s.coupon_code,
  s.processor, s.processor_customer_id, s.processor_subscription_id, s.processor_checkout_id, s.checkout_url,
  s.checkout_expires_at, s.trial_end, s.current_period_end, s.canceled_at, s.cancel_reason, s.created_at, s.read_written,
  s.give_back`;

function toRow(row: Row): SubscriptionRow {
  return {
    id: row.id,
    ownerUserId: row.owner_user_id,
    organizationId: row.organization_id,
    status: row.status,
    plan: row.plan,
    billingPeriod: row.billing_period,
    seats: row.seats,
    couponCode: row.coupon_code,
    processor: row.processor,
    processorCustomerId: row.processor_customer_id,
    processorSubscriptionId: row.processor_subscription_id,
    processorCheckoutId: row.processor_checkout_id,
    checkoutUrl: row.checkout_url,
    checkoutExpiresAt: row.checkout_expires_at?.getTime() ?? null,
    trialEnd: row.trial_end?.getTime() ?? null,
    currentPeriodEnd: row.current_period_end?.getTime() ?? null,
    canceledAt: row.canceled_at?.getTime() ?? null,
    cancelReason: row.cancel_reason,
    createdAt: row.created_at.getTime(),
    readWritten: row.read_written,
    giveBack: row.give_back,
  };
}

export function isLive(status: SubscriptionStatus): status is LiveSubscription['status'] {
  return (LIVE_STATUSES as readonly string[]).includes(status);
}

export async function findSubscriptionRow(db: Queryable, id: string): Promise<SubscriptionRow | null> {
  const [row] = await db.query<Row[]>(`SELECT ${COLUMNS} FROM subscriptions s WHERE s.id = $1`, [id]);
  return row ? toRow(row) : null;
}

/** Ours, of what the processor calls so; null where no row names it (yet). */
export async function findSubscriptionOf(
  db: Queryable,
  object: { kind: 'checkout' | 'subscription'; id: string },
): Promise<string | null> {
  const [row] = await db.query<{ id: string }[]>(
    `SELECT s.id FROM subscriptions s
     WHERE CASE WHEN $1 = 'checkout' THEN s.processor_checkout_id = $2 ELSE s.processor_subscription_id = $2 END`,
    [object.kind, object.id],
  );
  return row?.id ?? null;
}

/** What there is of a pool that is not over: the live one, and orders whose pay page is open. The newest first. */
export async function listOpenOf(db: Queryable, pool: BuyingPool): Promise<SubscriptionRow[]> {
  const rows = await db.query<Row[]>(
    `SELECT ${COLUMNS} FROM subscriptions s
     WHERE (${SUBSCRIPTION_LIVE} OR s.status = 'incomplete')
       AND CASE WHEN $2::int IS NULL THEN s.organization_id IS NULL AND s.owner_user_id = $1 ELSE s.organization_id = $2 END
     ORDER BY s.created_at DESC, s.id DESC`,
    'userId' in pool ? [pool.userId, null] : [null, pool.organizationId],
  );
  return rows.map(toRow);
}

/** What the person bought for an organisation, whatever they are in it by now: their card still pays for it. */
export async function findBoughtForOrganization(db: Queryable, userId: number): Promise<SubscriptionRow | null> {
  const [row] = await db.query<Row[]>(
    `SELECT ${COLUMNS} FROM subscriptions s
     WHERE ${SUBSCRIPTION_LIVE} AND s.owner_user_id = $1 AND s.organization_id IS NOT NULL
     ORDER BY s.created_at LIMIT 1`,
    [userId],
  );
  return row ? toRow(row) : null;
}

/** What a subscription fills. */
export type BuyingPool = { readonly organizationId: number } | { readonly userId: number };

/** Null for one whose account, or organisation, is gone. */
export function poolOf({
  ownerUserId,
  organizationId,
}: Pick<SubscriptionRow, 'ownerUserId' | 'organizationId'>): BuyingPool | null {
  if (organizationId !== null) return { organizationId };
  return ownerUserId === null ? null : { userId: ownerUserId };
}

/** Others who order or write subscriptions of these pools wait for the end of this transaction. */
export async function lockPools(tx: EntityManager, pools: readonly (BuyingPool | null)[]): Promise<void> {
  const names = pools
    .filter((pool) => pool !== null)
    .map((pool) => ('userId' in pool ? `user:${pool.userId}` : `organization:${pool.organizationId}`));
  // In the same order for all, so that nobody waits in a circle.
  for (const name of [...new Set(names)].toSorted())
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('subscriptions:' || $1, 0))`, [name]);
}

/** Takes the next number for a reading of the processor's object, before it is read. Null for a row that is not there. */
export async function beginReading(
  db: Queryable,
  id: string,
): Promise<{ reading: number; row: SubscriptionRow } | null> {
  const [[row]] = await db.query<[(Row & { reads_begun: number })[], number]>(
    `UPDATE subscriptions s SET reads_begun = s.reads_begun + 1 WHERE s.id = $1 RETURNING s.reads_begun, ${COLUMNS}`,
    [id],
  );
  return row ? { reading: row.reads_begun, row: toRow(row) } : null;
}

export async function lockSubscriptionRow(tx: EntityManager, id: string): Promise<SubscriptionRow | null> {
  const [row] = await tx.query<Row[]>(`SELECT ${COLUMNS} FROM subscriptions s WHERE s.id = $1 FOR NO KEY UPDATE`, [id]);
  return row ? toRow(row) : null;
}

/** What a reading says of a row. */
export interface WrittenState {
  status: SubscriptionStatus;
  plan: Plan;
  billingPeriod: BillingPeriod;
  seats: number;
  processorCustomerId: string | null;
  processorSubscriptionId: string | null;
  trialEnd: number | null;
  currentPeriodEnd: number | null;
  canceledAt: number | null;
  giveBack: 'none' | 'due' | 'done';
}

/** With the row locked. */
export async function writeReading(tx: EntityManager, id: string, reading: number, state: WrittenState): Promise<void> {
  await tx.query(
    `UPDATE subscriptions SET status = $3, plan_code = $4, plan = $5, billing_period = $6, seats = $7,
       processor_customer_id = coalesce($8, processor_customer_id),
       processor_subscription_id = coalesce($9, processor_subscription_id),
       trial_end = to_timestamp($10::float8 / 1000), current_period_end = to_timestamp($11::float8 / 1000),
       canceled_at = to_timestamp($12::float8 / 1000), give_back = $13,
       checkout_url = CASE WHEN $3 = 'incomplete' THEN checkout_url END, read_written = $2, updated_at = now()
     WHERE id = $1`,
    [
      id,
      reading,
      state.status,
      state.plan.code,
      JSON.stringify(state.plan),
      state.billingPeriod,
      state.seats,
      state.processorCustomerId,
      state.processorSubscriptionId,
      state.trialEnd,
      state.currentPeriodEnd,
      state.canceledAt,
      state.giveBack,
    ],
  );
}

/** Whether another one of the pool is live. With the pool locked. */
export async function isPoolFilled(tx: EntityManager, pool: BuyingPool, exceptId: string): Promise<boolean> {
  return (await listOpenOf(tx, pool)).some(({ id, status }) => id !== exceptId && isLive(status));
}
