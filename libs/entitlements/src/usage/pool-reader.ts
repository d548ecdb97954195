import { findMembership } from '@app/auth';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PlanCatalog } from '../plans/plan-catalog.js';
import type { PlanLimits } from '../plans/plan.js';
import { ENTITLEMENT_SETTINGS, type EntitlementSettings } from '../storage/storage-limits.js';
import { findLiveSubscription } from '../subscriptions/find-live-subscription.js';
import type { LiveSubscription, Pool } from '../subscriptions/subscription.js';

type Database = Pick<EntityManager, 'query'>;

/** A pool with its limits. Null: unlimited. */
export interface LimitedPool {
  pool: Pool;
  limits: Pick<PlanLimits, 'monthlyWorkflowRuns' | 'includedTokens' | 'storageBytes'>;
  /** Who bought the plan, or the person whose the pool is; null once that account is gone. */
  ownerUserId: number | null;
}

/** Nobody: an organisation is asked about without a member. */
const NOBODY = 0;

/** Which pool somebody lives on, and what it is limited to. */
@Injectable()
export class PoolReader {
  constructor(
    private readonly catalog: PlanCatalog,
    @Inject(ENTITLEMENT_SETTINGS) private readonly settings: EntitlementSettings,
  ) {}

  /** Whether anything is limited at all. */
  get hasLimits(): boolean {
    return this.catalog.offering !== null || this.settings.storageQuotaBytes > 0;
  }

  /** Null for an account that is gone. */
  async ofUser(db: Database, userId: number): Promise<LimitedPool | null> {
    const membership = await findMembership(db, userId);
    if (!membership) return null;
    const own = { pool: { type: 'none', userId }, ownerUserId: userId } as const;
    const { offering } = this.catalog;
    if (!offering)
      return {
        ...own,
        limits: {
          monthlyWorkflowRuns: null,
          includedTokens: null,
          storageBytes: this.settings.storageQuotaBytes || null,
        },
      };
    const { organizationId } = membership;
    const subscription = await findLiveSubscription(db, { userId, organizationId });
    if (!subscription) return { ...own, limits: offering.free.limits };
    if (subscription.organizationId !== null) return ofOrganization(subscription, subscription.organizationId);
    return { pool: { type: 'user', userId }, limits: subscription.plan.limits, ownerUserId: userId };
  }

  /** Null for an organisation without a plan of its own: its members have theirs. */
  async ofOrganization(db: Database, organizationId: number): Promise<LimitedPool | null> {
    if (!this.catalog.offering) return null;
    const subscription = await findLiveSubscription(db, { userId: NOBODY, organizationId });
    return subscription && ofOrganization(subscription, organizationId);
  }
}

function ofOrganization({ plan, ownerUserId }: LiveSubscription, organizationId: number): LimitedPool {
  return { pool: { type: 'organization', organizationId }, limits: plan.limits, ownerUserId };
}
