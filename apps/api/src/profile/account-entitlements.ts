import { ENTITLEMENT_SETTINGS, type EntitlementSettings, StorageQuota } from '@app/entitlements';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { type Entitlements, FREE_TIER } from './entitlements.dto.js';

/** How long figures stand at least; those that took long to measure stand as many times longer as `REST` says. */
const STAND_MS = 5000;
const REST = 100;

type Measured = { runs: number; vector: string };

/** Vectors of one encoder are of one length. */
const MEASURE = `
  SELECT
    (SELECT count(*) FROM workflows w JOIN workflow_runs r ON r.workflow_id = w.id
     WHERE w.owner_id = $1 AND r.status = 'COMPLETED' AND r.parent_run_id IS NULL
       AND r.finished_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')::int AS runs,
    (SELECT coalesce(sum(made.chunks * (
       SELECT octet_length(v.vector) FROM chunk_sign_bits b JOIN chunk_vectors v ON v.chunk_id = b.chunk_id
       WHERE b.index_id = made.sample LIMIT 1)), 0)
     FROM (SELECT sum(chunk_count) AS chunks, (array_agg(id ORDER BY chunk_count DESC))[1] AS sample
           FROM document_indexes WHERE owner_id = $1 AND embedding_model IS NOT NULL
           GROUP BY embedding_model) made) AS vector`;

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
    const [measured] = await this.dataSource.query<[Measured]>(MEASURE, [userId]);
    const vector = Number(measured.vector);
    const measured_at = new Date();
    return {
      ...FREE_TIER,
      storage_bytes: limit,
      run_history_days: this.settings.runHistoryDays,
      workflow_runs_used: measured.runs,
      storage_used_bytes: used + reserved,
      storage_breakdown: { media, vector, workflow, total: media + vector + workflow, limit, measured_at },
      storage_enforced: limit !== null,
    };
  }
}
