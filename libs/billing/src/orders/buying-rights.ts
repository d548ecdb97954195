import type { PlanBuyer } from '@app/auth';
import { ForbiddenError } from '@app/common';
import {
  type BuyingPool,
  findBoughtForOrganization,
  isLive,
  listOpenOf,
  type Plan,
  type SubscriptionRow,
} from '@app/entitlements';
import type { EntityManager } from 'typeorm';

type Queryable = Pick<EntityManager, 'query'>;

/** Whose quotas a plan would fill that this person buys. */
export function poolFor(buyer: PlanBuyer, plan: Pick<Plan, 'pool'>): BuyingPool {
  const { organizationId, userId } = buyer;
  return plan.pool === 'organization' && organizationId !== null ? { organizationId } : { userId };
}

export function notPlanOwner(): ForbiddenError {
  return new ForbiddenError('Only an owner of your organization decides about its plan.', { code: 'not_plan_owner' });
}

/** The live subscription of the organisation, and the person's own one. */
export async function findLiveOf(
  db: Queryable,
  { userId, organizationId }: PlanBuyer,
): Promise<{ ofOrganization: SubscriptionRow | null; own: SubscriptionRow | null }> {
  const live = async (pool: BuyingPool) => (await listOpenOf(db, pool)).find(({ status }) => isLive(status)) ?? null;
  return {
    ofOrganization: organizationId === null ? null : await live({ organizationId }),
    own: await live({ userId }),
  };
}

/**
 * What the person may change or cancel: that of their organisation, else their own.
 * @throws ForbiddenError (`not_plan_owner`) when there is only that of the organisation, and they are no owner of it
 */
export async function findOwned(db: Queryable, buyer: PlanBuyer): Promise<SubscriptionRow | null> {
  const { ofOrganization, own } = await findLiveOf(db, buyer);
  if (ofOrganization !== null && buyer.isOrganizationOwner) return ofOrganization;
  if (own !== null) return own;
  if (ofOrganization !== null) throw notPlanOwner();
  return null;
}

/** As `findOwned`; and what they bought for an organisation that they have left, or are no owner of any more. */
export async function findCancellable(db: Queryable, buyer: PlanBuyer): Promise<SubscriptionRow | null> {
  const bought = await findBoughtForOrganization(db, buyer.userId);
  try {
    return (await findOwned(db, buyer)) ?? bought;
  } catch (error) {
    if (bought !== null && error instanceof ForbiddenError) return bought;
    throw error;
  }
}
