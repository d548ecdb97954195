import type { EntityManager } from 'typeorm';
import { SUBSCRIPTION_LIVE } from './subscription.js';

/**
 * What the organisation pays for, or is about to, becomes the business of another of its owners. What ended stays with who
 * bought it. Call in the transaction that changes the owners; `entitlements` of the organisation are out of date after commit.
 * @param fromUserId only when it is theirs; whoever's it is when absent
 */
export async function moveSubscriptionOwner(
  tx: EntityManager,
  organizationId: number,
  userId: number,
  fromUserId: number | null = null,
): Promise<void> {
  await tx.query(
    `UPDATE subscriptions s SET owner_user_id = $2
     WHERE s.organization_id = $1 AND (${SUBSCRIPTION_LIVE} OR s.status = 'incomplete')
       AND ($3::int IS NULL OR s.owner_user_id = $3)`,
    [organizationId, userId, fromUserId],
  );
}
