import type { EntityManager } from 'typeorm';
import { SUBSCRIPTION_LIVE } from './subscription.js';

export interface UnreconciledSubscription {
  /** What the processor calls it: its pay page, as long as there is nothing else. */
  readonly kind: 'checkout' | 'subscription';
  readonly id: string;
}

/**
 * Subscriptions that are not over, and that nobody has asked the processor for in a day; those longest ago go first.
 * They count as asked for, in this transaction.
 */
export async function takeUnreconciled(
  tx: EntityManager,
  processor: string,
  limit: number,
): Promise<UnreconciledSubscription[]> {
  const [rows] = await tx.query<[UnreconciledSubscription[], number]>(
    `UPDATE subscriptions t SET reconciled_at = now() FROM (
       SELECT s.id FROM subscriptions s
       WHERE s.processor = $1 AND (${SUBSCRIPTION_LIVE} OR s.status = 'incomplete')
         AND s.reconciled_at < now() - interval '1 day' AND coalesce(s.processor_subscription_id, s.processor_checkout_id) IS NOT NULL
       ORDER BY s.reconciled_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) due
     WHERE t.id = due.id
     RETURNING CASE WHEN t.processor_subscription_id IS NULL THEN 'checkout' ELSE 'subscription' END AS kind,
       coalesce(t.processor_subscription_id, t.processor_checkout_id) AS id`,
    [processor, limit],
  );
  return rows;
}
