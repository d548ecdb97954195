import { setPlanSeats } from '@app/auth';
import type { EntityManager } from 'typeorm';
import { movePool } from './subscription-orders.js';
import { isLive, listOpenOf, lockPools } from './subscription-rows.js';

/**
 * What somebody pays for and is meant for an organisation, or is about to be paid, becomes that of the one they just made.
 * Call in the transaction that makes it; `entitlements` of both are out of date after commit.
 */
export async function bringToOrganization(tx: EntityManager, userId: number, organizationId: number): Promise<void> {
  await lockPools(tx, [{ userId }, { organizationId }]);
  for (const { id, plan, status, seats } of await listOpenOf(tx, { userId })) {
    if (plan.pool !== 'organization') continue;
    await movePool(tx, id, organizationId);
    if (isLive(status)) await setPlanSeats(tx, organizationId, seats);
  }
}

/**
 * The reverse, before the organisation goes.
 * @returns false, with nothing moved, where somebody else pays for it, or the person has something of their own
 */
export async function takeFromOrganization(
  tx: EntityManager,
  organizationId: number,
  userId: number,
): Promise<boolean> {
  await lockPools(tx, [{ userId }, { organizationId }]);
  const open = await listOpenOf(tx, { organizationId });
  if (open.length === 0) return true;
  if (open.some(({ ownerUserId }) => ownerUserId !== userId)) return false;
  if ((await listOpenOf(tx, { userId })).length > 0) return false;
  for (const { id } of open) await movePool(tx, id, null);
  return true;
}
