import { formatMoney } from '@app/common';
import {
  type Account,
  accountsOf,
  type Entitlement,
  ENTITLEMENT_SETTINGS,
  EntitlementResolver,
  type EntitlementSettings,
  type Pool,
  poolKey,
  runsOfMonth,
  StorageQuota,
} from '@app/entitlements';
import { VectorSizes } from '@app/retrieval';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import type { Entitlements } from './entitlements.dto.js';
import type { ActivePlan } from './profile.dto.js';

/** How long figures stand. */
const STAND_MS = 5000;

/** What a pool has used, of all its accounts together. */
interface Figures {
  media: number;
  vector: number;
  workflow: number;
  reserved: number;
  runs: number;
  measuredAt: Date;
}

export interface ShownEntitlements {
  entitlements: Entitlements;
  plan: ActivePlan | null;
  plan_required: boolean;
}

/** What accounts may use, and have used (docs/contract/accounts.md#entitlements). */
@Injectable()
export class AccountEntitlements {
  private readonly cache = new LRUCache<string, Figures>({ max: 5000, ttl: STAND_MS });

  constructor(
    private readonly dataSource: DataSource,
    private readonly resolver: EntitlementResolver,
    private readonly quota: StorageQuota,
    private readonly vectors: VectorSizes,
    @Inject(ENTITLEMENT_SETTINGS) private readonly settings: EntitlementSettings,
  ) {}

  /** Limits as they stand now; figures of a few seconds ago at most, vectors of minutes (`measured_at`). */
  async of(account: Account): Promise<ShownEntitlements> {
    const known = await this.resolver.of(account);
    return {
      entitlements: this.toEntitlements(known, await this.figuresOf(known.pool)),
      plan: toActivePlan(known, account.userId),
      plan_required: this.settings.planRequired && (known.plan === null || known.expired),
    };
  }

  private toEntitlements(known: Entitlement, figures: Figures): Entitlements {
    const { limits } = known;
    const { media, vector, workflow, reserved } = figures;
    return {
      plan_code: known.plan?.code ?? '',
      plan_name: known.planName,
      owner_type: known.pool.type,
      is_active: !known.expired,
      seats: known.seats,
      support_tier: known.supportTier,
      features: { ...known.features },
      monthly_workflow_runs: limits.monthlyWorkflowRuns,
      included_tokens: limits.includedTokens,
      storage_bytes: limits.storageBytes,
      run_history_days: limits.runHistoryDays,
      live_build_sessions: limits.liveBuildSessions,
      workflow_runs_used: figures.runs,
      storage_used_bytes: media + workflow + reserved,
      storage_breakdown: {
        media,
        vector,
        workflow,
        total: media + vector + workflow,
        limit: limits.storageBytes,
        measured_at: figures.measuredAt,
      },
      enforced: this.settings.featureGate,
      storage_enforced: this.settings.storageGate && limits.storageBytes !== null,
    };
  }

  private async figuresOf(pool: Pool): Promise<Figures> {
    const key = poolKey(pool);
    const known = this.cache.get(key);
    if (known) return known;
    const [{ media, workflow, reserved }, runs, vector] = await Promise.all([
      this.quota.measure(pool),
      runsOfMonth(this.dataSource, pool),
      this.vectors.of(key, () => accountsOf(this.dataSource, pool)),
    ]);
    const figures = { media, vector: vector.bytes, workflow, reserved, runs, measuredAt: vector.measuredAt };
    this.cache.set(key, figures);
    return figures;
  }
}

function toActivePlan({ plan, pool, ownerUserId, activeUntil }: Entitlement, userId: number): ActivePlan | null {
  if (!plan) return null;
  return {
    name: plan.name,
    code: plan.code,
    monthly_price: formatMoney(plan.monthlyPrice, plan.currency),
    yearly_price: formatMoney(plan.yearlyPrice, plan.currency),
    active_until: activeUntil === null ? null : new Date(activeUntil),
    ...(pool.type === 'organization' && { owner: ownerUserId === userId }),
  };
}
