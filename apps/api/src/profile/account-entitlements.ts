import { ENTITLEMENT_SETTINGS, type EntitlementSettings, runsOfMonth, StorageQuota } from '@app/entitlements';
import { measureVectors } from '@app/retrieval';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { type Entitlements, FREE_TIER } from './entitlements.dto.js';

/** How long figures stand at least; those that took long to measure stand as many times longer as `REST` says. */
const STAND_MS = 5000;
const REST = 100;

/**
 * What accounts may use, and have used (docs/contract/accounts.md#entitlements). Until plans exist all have the free
 * tier.
 */
@Injectable()
export class AccountEntitlements {
  private readonly cache = new LRUCache<number, Entitlements>({ max: 5000 });

  constructor(
    private readonly dataSource: DataSource,
    private readonly quota: StorageQuota,
    @Inject(ENTITLEMENT_SETTINGS) private readonly settings: EntitlementSettings,
  ) {}

  /** As of a few seconds ago at most, or some minutes for somebody with very many runs. */
  async of(userId: number): Promise<Entitlements> {
    const known = this.cache.get(userId);
    if (known) return known;
    const began = performance.now();
    const entitlements = await this.measure(userId);
    this.cache.set(userId, entitlements, { ttl: Math.max(STAND_MS, REST * (performance.now() - began)) });
    return entitlements;
  }

  private async measure(userId: number): Promise<Entitlements> {
    const { media, workflow, used, reserved, limit } = await this.quota.usageOf(userId);
    const [runs, vector] = await Promise.all([
      runsOfMonth(this.dataSource, { type: 'none', userId }),
      measureVectors(this.dataSource, userId),
    ]);
    const measured_at = new Date();
    return {
      ...FREE_TIER,
      storage_bytes: limit,
      run_history_days: this.settings.runHistoryDays,
      workflow_runs_used: runs,
      storage_used_bytes: used + reserved,
      storage_breakdown: { media, vector, workflow, total: media + vector + workflow, limit, measured_at },
      storage_enforced: limit !== null,
    };
  }
}
