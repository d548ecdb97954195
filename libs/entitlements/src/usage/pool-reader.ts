import { findMembership } from '@app/auth';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PlanCatalog } from '../plans/plan-catalog.js';
import type { PlanLimits } from '../plans/plan.js';
import type { Entitlement } from '../resolver/entitlement.js';
import { EntitlementResolver } from '../resolver/entitlement-resolver.js';
import { ENTITLEMENT_SETTINGS, type EntitlementSettings } from '../settings.js';
import type { Pool } from '../subscriptions/subscription.js';

type Database = Pick<EntityManager, 'query'>;

/** A pool with its limits. Null: unlimited. */
export interface LimitedPool {
  pool: Pool;
  limits: Pick<PlanLimits, 'monthlyWorkflowRuns' | 'includedTokens' | 'storageBytes'>;
  /** Who bought the plan, or the person whose the pool is; null once that account is gone. */
  ownerUserId: number | null;
}

/** Which pool somebody lives on, and what it is limited to, as it stands now. */
@Injectable()
export class PoolReader {
  constructor(
    private readonly catalog: PlanCatalog,
    private readonly resolver: EntitlementResolver,
    @Inject(ENTITLEMENT_SETTINGS) private readonly settings: EntitlementSettings,
  ) {}

  /** Whether anything is limited at all. */
  get hasLimits(): boolean {
    return this.catalog.offering !== null || this.settings.storageQuotaBytes > 0;
  }

  /** Null for an account that is gone. */
  async ofUser(db: Database, userId: number): Promise<LimitedPool | null> {
    if (!(await findMembership(db, userId))) return null;
    return toLimitedPool(await this.resolver.readNow(db, userId));
  }

  /** Null for an organisation without a plan of its own: its members have theirs. */
  async ofOrganization(db: Database, organizationId: number): Promise<LimitedPool | null> {
    if (!this.catalog.offering) return null;
    const entitlement = await this.resolver.readOrganization(db, organizationId);
    return entitlement.pool.type === 'organization' ? toLimitedPool(entitlement) : null;
  }
}

function toLimitedPool({ pool, limits, ownerUserId }: Entitlement): LimitedPool {
  return { pool, limits, ownerUserId: pool.type === 'organization' ? ownerUserId : pool.userId };
}
