import { findMembership } from '@app/auth';
import { NotFoundError, ValidationError } from '@app/common';
import { monthOf, MONTHS_KEPT, readMonths } from '@app/entities';
import {
  accountsOf,
  type Entitlement,
  EntitlementResolver,
  poolKey,
  runsOfMonth,
  StorageQuota,
  tokensOfMonth,
} from '@app/entitlements';
import {
  daysOfMonth,
  lastDays,
  NO_USE,
  type Period,
  type UsageReport,
  type UsageScope,
  UsageTotals,
} from '@app/models';
import { VectorSizes } from '@app/retrieval';
import { listWorkflowCosts } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toWorkflowCosts } from '../cost-tracker/costs.dto.js';
import type { StorageBreakdown } from '../profile/entitlements.dto.js';
import { PeopleUsage } from './people-usage.js';
import type { CountedUse, UsageQuery, PoolUsageResponse } from './usage.dto.js';
import { toModelEntry, toUsageSums } from './usage-mappers.js';

/** What somebody, and the pool that they live on, has used: docs/contract/usage.md. */
@Injectable()
export class UsageView {
  constructor(
    private readonly dataSource: DataSource,
    private readonly entitlements: EntitlementResolver,
    private readonly quota: StorageQuota,
    private readonly totals: UsageTotals,
    private readonly people: PeopleUsage,
    private readonly vectors: VectorSizes,
  ) {}

  /** @throws ValidationError for a month that is not kept, or to come */
  async of(userId: number, { days, month: wanted }: Pick<UsageQuery, 'days' | 'month'>): Promise<PoolUsageResponse> {
    const month = wanted ?? monthOf();
    requireKept(month);
    const period = wanted === undefined ? lastDays(days) : daysOfMonth(wanted);
    const [membership, of] = await Promise.all([
      findMembership(this.dataSource, userId),
      this.entitlements.readNow(this.dataSource, userId),
    ]);
    if (!membership) throw new NotFoundError();
    const { pool } = of;
    const owned = pool.type === 'organization' && membership.isOwner ? pool.organizationId : null;
    const scope: UsageScope = owned === null ? { userId } : { organizationId: owned };
    const report = await this.report(scope, period);
    const [runs, tokens, storage, byModel, byWorkflow] = await Promise.all([
      this.count(of, userId, month, 'workflow_runs'),
      this.count(of, userId, month, 'model_tokens'),
      this.storageOf(of),
      this.totals.isTracking ? this.totals.byModel(scope, period) : [],
      listWorkflowCosts(this.dataSource, userId, period, this.totals.currency),
    ]);
    const all = { runs: runs.used ?? 0, tokens: tokens.used };
    return {
      owner_type: pool.type,
      scope: owned === null ? 'own' : 'organization',
      month,
      start_date: period.from,
      end_date: period.to,
      currency: this.totals.currency,
      cost_tracking: this.totals.isTracking ? 'on' : 'off',
      workflow_runs: runs,
      tokens,
      storage_breakdown: storage,
      totals: toUsageSums(report.totals),
      daily: report.daily.map(({ date, ...day }) => ({ date, ...toUsageSums(day) })),
      by_model: byModel.map(toModelEntry),
      by_workflow: byWorkflow.map(toWorkflowCosts),
      by_person: owned === null ? null : await this.people.of(owned, month, period, all),
      unpriced_requests: report.totals.unpriced,
    };
  }

  private async report(scope: UsageScope, period: Period): Promise<Pick<UsageReport, 'totals' | 'daily'>> {
    return this.totals.isTracking ? this.totals.report(scope, period) : { totals: NO_USE, daily: [] };
  }

  private async count(
    { pool, limits }: Entitlement,
    userId: number,
    month: string,
    kind: 'workflow_runs' | 'model_tokens',
  ): Promise<CountedUse> {
    const isRuns = kind === 'workflow_runs';
    const limit = isRuns ? limits.monthlyWorkflowRuns : limits.includedTokens;
    if (!isRuns && !this.totals.isTracking) return { used: null, limit, own: null };
    const used = await (isRuns ? runsOfMonth : tokensOfMonth)(this.dataSource, pool, month);
    if (pool.type !== 'organization') return { used, limit, own: used };
    const keys = [`u${userId}`];
    const { organizationId } = pool;
    const own = await readMonths(this.dataSource, { kind, keys, month, organizationId });
    return { used, limit, own: own.get(keys[0]!) ?? 0 };
  }

  private async storageOf({ pool, limits }: Entitlement): Promise<StorageBreakdown> {
    const [{ media, workflow }, vector] = await Promise.all([
      this.quota.measure(pool),
      this.vectors.of(poolKey(pool), () => accountsOf(this.dataSource, pool)),
    ]);
    return {
      media,
      vector: vector.bytes,
      workflow,
      total: media + vector.bytes + workflow,
      limit: limits.storageBytes,
      // The oldest of these figures: the others are those of now.
      measured_at: vector.measuredAt,
    };
  }
}

function requireKept(month: string): void {
  const now = new Date();
  const oldest = monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS_KEPT, 1)));
  if (month > monthOf(now)) throw new ValidationError({ month: ['This month is still to come.'] });
  if (month < oldest) throw new ValidationError({ month: [`Months are kept since ${oldest}.`] });
}
