import { type ExportedColumns, exportedRow } from '@app/erasure';
import type { EntityManager } from 'typeorm';

type Queryable = Pick<EntityManager, 'query'>;

const OF_PROCESSOR = 'what the processor calls it';
const OF_OURS = 'how far it was read from the processor';

/** What people get of their subscriptions in a copy of their data. */
export const SUBSCRIPTION_COLUMNS: ExportedColumns = {
  table: 'subscriptions',
  exported: [
    'id',
    'status',
    'plan_code',
    'plan',
    'billing_period',
    'seats',
    'coupon_code',
    'trial_end',
    'current_period_end',
    'canceled_at',
    'cancel_reason',
    'created_at',
  ],
  withheld: {
    owner_user_id: 'whose copy it is',
    organization_id: 'a number of the database',
    processor: 'who takes the payments here',
    processor_customer_id: OF_PROCESSOR,
    processor_subscription_id: OF_PROCESSOR,
    processor_checkout_id: OF_PROCESSOR,
    checkout_url: 'opens the pay page',
    checkout_expires_at: 'of the pay page',
    reads_begun: OF_OURS,
    read_written: OF_OURS,
    give_back: OF_OURS,
    updated_at: OF_OURS,
    reconciled_at: OF_OURS,
    trial_end_told_at: 'when a mail was written',
  },
};

export async function countSubscriptionsOf(db: Queryable, userId: number): Promise<number> {
  const [{ count }] = await db.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM subscriptions WHERE owner_user_id = $1',
    [userId],
  );
  return count;
}

/** As whom the account paid, at whichever processor. */
export async function listCustomersOf(db: Queryable, userId: number): Promise<string[]> {
  const rows = await db.query<{ customer: string | null }[]>(
    'SELECT DISTINCT processor_customer_id AS customer FROM subscriptions WHERE owner_user_id = $1',
    [userId],
  );
  return rows.map(({ customer }) => customer).filter((customer) => customer !== null);
}

/**
 * As whom the account paid, and nobody pays any more: what moved to another owner goes on being paid for as before.
 */
export async function listForgettableCustomers(
  db: Queryable,
  userId: number,
): Promise<{ customer: string; processor: 'test' | 'stripe' }[]> {
  const rows = await db.query<{ customer: string | null; processor: 'test' | 'stripe' }[]>(
    `SELECT DISTINCT s.processor_customer_id AS customer, s.processor FROM subscriptions s
     WHERE s.owner_user_id = $1 AND s.processor_customer_id IS NOT NULL AND NOT EXISTS (
       SELECT FROM subscriptions o WHERE o.processor_customer_id = s.processor_customer_id AND o.processor = s.processor
         AND (o.status NOT IN ('canceled', 'incomplete_expired') OR o.give_back = 'due'))`,
    [userId],
  );
  return rows.flatMap(({ customer, processor }) => (customer === null ? [] : [{ customer, processor }]));
}

export async function listExportedSubscriptions(db: Queryable, userId: number): Promise<unknown[]> {
  const rows = await db.query<{ row: unknown }[]>(
    `SELECT ${exportedRow(SUBSCRIPTION_COLUMNS, 's')} AS row FROM subscriptions s WHERE s.owner_user_id = $1
     ORDER BY s.created_at, s.id`,
    [userId],
  );
  return rows.map(({ row }) => row);
}

/** What the person wrote goes with them. */
export async function forgetReasons(tx: EntityManager, userId: number): Promise<void> {
  await tx.query(
    'UPDATE subscriptions SET cancel_reason = NULL WHERE owner_user_id = $1 AND cancel_reason IS NOT NULL',
    [userId],
  );
}
