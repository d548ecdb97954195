import type { EntityManager } from 'typeorm';
import { SUBSCRIPTION_LIVE } from './subscription.js';

/**
 * What the organisation pays for, or is about to, becomes the business of another of its owners. What ended stays with who
 * bought it. Call in the transaction that changes the owners; `entitlements` of the organisation are out of date after commit.
 */
export async function moveSubscriptionOwner(tx: EntityManager, organizationId: number, userId: number): Promise<void> {
  await tx.query(
    `UPDATE subscriptions s SET owner_user_id = $2
     WHERE s.organization_id = $1 AND (${SUBSCRIPTION_LIVE} OR s.status = 'incomplete')`,
    [organizationId, userId],
  );
}
