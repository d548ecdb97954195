import type {
  CheckoutOrder,
  CheckoutState,
  OrderedCoupon,
  ProcessorInvoice,
  ProcessorSubscription,
} from '@app/integrations';
import type { EntityManager } from 'typeorm';

export type Queryable = Pick<EntityManager, 'query'>;
export type TestStatus = 'trialing' | 'active' | 'past_due' | 'unpaid' | 'canceled';

/** What a pay page knows of its order; the address and the key stand in columns of their own. */
export type KeptOrder = Omit<CheckoutOrder, 'email' | 'idempotencyKey' | 'expiresAt' | 'customerId' | 'reference'>;

export interface TestCheckout extends CheckoutState {
  ordered: KeptOrder;
  email: string;
  expiresAt: number;
  revision: number;
}

interface CheckoutRow {
  id: string;
  reference: string;
  status: 'open' | 'complete' | 'expired';
  ordered: KeptOrder;
  email: string;
  customer_id: string | null;
  subscription_id: string | null;
  expires_at: Date;
  revision: number;
}

const CHECKOUT = `c.id, c.reference, c.status, c.ordered, c.email, c.customer_id, c.subscription_id, c.expires_at, c.revision`;

function toCheckout(row: CheckoutRow): TestCheckout {
  return {
    id: row.id,
    reference: row.reference,
    status: row.status,
    ordered: row.ordered,
    email: row.email,
    customerId: row.customer_id,
    subscriptionId: row.subscription_id,
    expiresAt: row.expires_at.getTime(),
    revision: row.revision,
  };
}

export async function findCheckout(db: Queryable, id: string): Promise<TestCheckout | null> {
  const [row] = await db.query<CheckoutRow[]>(`SELECT ${CHECKOUT} FROM billing_test_checkouts c WHERE c.id = $1`, [id]);
  return row ? toCheckout(row) : null;
}

export async function findCheckoutByKey(db: Queryable, key: string): Promise<TestCheckout | null> {
  const [row] = await db.query<CheckoutRow[]>(
    `SELECT ${CHECKOUT} FROM billing_test_checkouts c WHERE c.idempotency_key = $1`,
    [key],
  );
  return row ? toCheckout(row) : null;
}

export async function lockCheckout(tx: EntityManager, id: string): Promise<TestCheckout | null> {
  const [row] = await tx.query<CheckoutRow[]>(
    `SELECT ${CHECKOUT} FROM billing_test_checkouts c WHERE c.id = $1 FOR UPDATE`,
    [id],
  );
  return row ? toCheckout(row) : null;
}

/** As the processor bills it. Amounts in minor units, times in milliseconds. */
export interface TestSubscription {
  id: string;
  reference: string;
  customerId: string;
  status: TestStatus;
  planCode: string;
  planName: string;
  period: 'monthly' | 'yearly';
  seats: number;
  unitAmount: number;
  currency: string;
  coupon: OrderedCoupon | null;
  couponApplied: boolean;
  credit: number;
  anchorAt: number;
  periods: number;
  periodStart: number;
  periodEnd: number;
  trialEnd: number | null;
  failedTries: number;
  dueAt: number | null;
  changeKey: string | null;
  canceledAt: number | null;
  revision: number;
}

interface SubscriptionRow {
  id: string;
  reference: string;
  customer_id: string;
  status: TestStatus;
  plan_code: string;
  plan_name: string;
  period: 'monthly' | 'yearly';
  seats: number;
  unit_amount: number;
  currency: string;
  coupon: OrderedCoupon | null;
  coupon_applied: boolean;
  credit: number;
  anchor_at: Date;
  periods: number;
  period_start: Date;
  period_end: Date;
  trial_end: Date | null;
  failed_tries: number;
  due_at: Date | null;
  change_key: string | null;
  canceled_at: Date | null;
  revision: number;
}

const SUBSCRIPTION = `s.id, s.reference, s.customer_id, s.status, s.plan_code, s.plan_name, s.period, s.seats,
  s.unit_amount::float8 AS unit_amount, s.currency, s.coupon, s.coupon_applied, s.credit::float8 AS credit, s.anchor_at,
  s.periods, s.period_start, s.period_end, s.trial_end, s.failed_tries, s.due_at, s.change_key, s.canceled_at, s.revision`;

function toSubscription(row: SubscriptionRow): TestSubscription {
  return {
    id: row.id,
    reference: row.reference,
    customerId: row.customer_id,
    status: row.status,
    planCode: row.plan_code,
    planName: row.plan_name,
    period: row.period,
    seats: row.seats,
    unitAmount: row.unit_amount,
    currency: row.currency,
    coupon: row.coupon,
    couponApplied: row.coupon_applied,
    credit: row.credit,
    anchorAt: row.anchor_at.getTime(),
    periods: row.periods,
    periodStart: row.period_start.getTime(),
    periodEnd: row.period_end.getTime(),
    trialEnd: row.trial_end?.getTime() ?? null,
    failedTries: row.failed_tries,
    dueAt: row.due_at?.getTime() ?? null,
    changeKey: row.change_key,
    canceledAt: row.canceled_at?.getTime() ?? null,
    revision: row.revision,
  };
}

export async function findSubscription(db: Queryable, id: string): Promise<TestSubscription | null> {
  const [row] = await db.query<SubscriptionRow[]>(
    `SELECT ${SUBSCRIPTION} FROM billing_test_subscriptions s WHERE s.id = $1`,
    [id],
  );
  return row ? toSubscription(row) : null;
}

export async function lockSubscription(tx: EntityManager, id: string): Promise<TestSubscription | null> {
  const [row] = await tx.query<SubscriptionRow[]>(
    `SELECT ${SUBSCRIPTION} FROM billing_test_subscriptions s WHERE s.id = $1 FOR UPDATE`,
    [id],
  );
  return row ? toSubscription(row) : null;
}

/** The newest first. */
export async function listSubscriptionsOf(db: Queryable, customerId: string): Promise<TestSubscription[]> {
  const rows = await db.query<SubscriptionRow[]>(
    `SELECT ${SUBSCRIPTION} FROM billing_test_subscriptions s WHERE s.customer_id = $1 ORDER BY s.created_at DESC, s.id`,
    [customerId],
  );
  return rows.map(toSubscription);
}

export function toProcessorSubscription(given: TestSubscription): ProcessorSubscription {
  const { id, reference, customerId, status, planCode, period, seats, trialEnd, periodEnd, canceledAt } = given;
  return {
    id,
    reference,
    customerId,
    status,
    planCode,
    period,
    seats,
    trialEnd,
    currentPeriodEnd: periodEnd,
    canceledAt,
  };
}

interface InvoiceRow {
  id: string;
  subscription_id: string;
  number: string;
  status: ProcessorInvoice['status'];
  description: string;
  plan_code: string;
  period: 'monthly' | 'yearly';
  seats: number;
  amount: number;
  currency: string;
  coupon_code: string | null;
  period_start: Date;
  period_end: Date;
  created_at: Date;
  paid_at: Date | null;
}

const INVOICE = `i.id, i.subscription_id, i.number, i.status, i.description, i.plan_code, i.period, i.seats,
  i.amount::float8 AS amount, i.currency, i.coupon_code, i.period_start, i.period_end, i.created_at, i.paid_at`;

function toInvoice(row: InvoiceRow): ProcessorInvoice {
  return {
    id: row.id,
    subscriptionId: row.subscription_id,
    number: row.number,
    status: row.status,
    description: row.description,
    planCode: row.plan_code,
    period: row.period,
    seats: row.seats,
    amount: row.amount,
    currency: row.currency,
    couponCode: row.coupon_code,
    periodStart: row.period_start.getTime(),
    periodEnd: row.period_end.getTime(),
    createdAt: row.created_at.getTime(),
    paidAt: row.paid_at?.getTime() ?? null,
    url: null,
  };
}

export async function findInvoice(db: Queryable, id: string): Promise<ProcessorInvoice | null> {
  const [row] = await db.query<InvoiceRow[]>(`SELECT ${INVOICE} FROM billing_test_invoices i WHERE i.id = $1`, [id]);
  return row ? toInvoice(row) : null;
}

/** The newest first. */
export async function listInvoicesOf(db: Queryable, subscriptionId: string): Promise<ProcessorInvoice[]> {
  const rows = await db.query<InvoiceRow[]>(
    `SELECT ${INVOICE} FROM billing_test_invoices i WHERE i.subscription_id = $1 ORDER BY i.created_at DESC, i.id`,
    [subscriptionId],
  );
  return rows.map(toInvoice);
}
