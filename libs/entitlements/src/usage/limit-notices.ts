import { findMembership, listPoolOwners } from '@app/auth';
import { type ChangedTotal, claimChangedTotals, monthOf } from '@app/entities';
import { type LimitParams, Messages } from '@app/messages';
import type { OutboxReceipt } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PlanCatalog } from '../plans/plan-catalog.js';
import type { Entitlement } from '../resolver/entitlement.js';
import { EntitlementResolver } from '../resolver/entitlement-resolver.js';
import { ENTITLEMENT_SETTINGS, type EntitlementSettings } from '../settings.js';
import { readStorage } from '../storage/storage-quota.js';
import { poolKey, runsOfMonth, tokensOfMonth } from './month-usage.js';

type Measure = LimitParams['measure'];

/** Percent of a limit, the highest first. */
const THRESHOLDS = [100, 80] as const;
/** Totals that one transaction looks at. */
const BATCH = 100;
/** Notices of the month before stay: clocks of processes may differ. */
const MONTH_MS = 31 * 86_400_000;
/** A mail that comes later says nothing new. */
const USEFUL_SECONDS = 3 * 86_400;

/**
 * Tells owners of pools how much of a limit is used: at 80 and at 100 percent, once a month each. Looked at are totals
 * that have changed since the last look, whose row says so; a look that is cut off is made again.
 */
@Injectable()
export class LimitNotices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly messages: Messages,
    private readonly catalog: PlanCatalog,
    private readonly entitlements: EntitlementResolver,
    @Inject(ENTITLEMENT_SETTINGS) private readonly settings: EntitlementSettings,
  ) {}

  /** @returns how many mails were asked for. Several at once share the work. */
  async look(): Promise<number> {
    if (this.catalog.offering === null && this.settings.storageQuotaBytes === 0) return 0;
    let told = 0;
    for (;;) {
      const { looked, receipts } = await this.dataSource.transaction(async (tx) => {
        const totals = await claimChangedTotals(tx, BATCH);
        return { looked: totals.length, receipts: await this.tell(tx, totals) };
      });
      this.messages.publish(...receipts);
      told += receipts.length;
      if (looked < BATCH) return told;
    }
  }

  /** Those of months that are over: nothing is told twice of them. @returns how many went */
  async forgetOld(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>('DELETE FROM usage_notices WHERE month < $1', [
      monthOf(new Date(Date.now() - MONTH_MS)),
    ]);
    return count;
  }

  private async tell(tx: EntityManager, totals: readonly ChangedTotal[]): Promise<OutboxReceipt[]> {
    const changed = new Map<string, { of: Entitlement; measure: Measure }>();
    for (const total of totals) {
      const of = await this.poolOf(tx, total);
      if (of) changed.set(`${poolKey(of.pool)} ${total.kind}`, { of, measure: total.kind });
    }
    const receipts: OutboxReceipt[] = [];
    // In one order for everybody: notices of two looks wait for each other.
    for (const key of [...changed.keys()].toSorted()) {
      const { of, measure } = changed.get(key)!;
      receipts.push(...(await this.tellOf(tx, of, measure)));
    }
    return receipts;
  }

  /** Null for what concerns no pool of this month. */
  private async poolOf(tx: EntityManager, { kind, key, part }: ChangedTotal): Promise<Entitlement | null> {
    if (kind === 'storage') return this.ofAccount(tx, Number(key));
    if (part.slice(0, 7) !== monthOf()) return null;
    const id = Number(key.slice(1));
    const of = await (key.startsWith('o') ? this.entitlements.readOrganization(tx, id) : this.ofAccount(tx, id));
    // What its members use changes the total of the organisation, too. One without a plan of its own has no pool.
    return (of?.pool.type === 'organization') === key.startsWith('o') ? of : null;
  }

  /** Null for one that is gone. */
  private async ofAccount(tx: EntityManager, userId: number): Promise<Entitlement | null> {
    return (await findMembership(tx, userId)) && this.entitlements.readNow(tx, userId);
  }

  private async tellOf(tx: EntityManager, of: Entitlement, measure: Measure): Promise<OutboxReceipt[]> {
    const limit = limitOf(of, measure);
    if (limit === null) return [];
    const used = await usedOf(tx, of, measure);
    const reached = THRESHOLDS.filter((percent) => used > 0 && used >= (limit * percent) / 100);
    if (reached.length === 0) return [];
    const added = await tx.query<unknown[]>(
      `INSERT INTO usage_notices (pool, month, measure, threshold) SELECT $1, $2, $3, unnest($4::int[])
       ON CONFLICT DO NOTHING RETURNING 1`,
      [poolKey(of.pool), monthOf(), measure, reached],
    );
    if (added.length === 0) return [];
    // Whoever goes beyond both at once is told of the higher one.
    const percent = reached[0]!;
    const { pool, ownerUserId } = of;
    const whose =
      pool.type === 'organization'
        ? { organizationId: pool.organizationId, userId: ownerUserId }
        : { organizationId: null, userId: pool.userId };
    const receipts: OutboxReceipt[] = [];
    for (const owner of await listPoolOwners(tx, whose)) {
      const { name, organization, language, email: to, userId } = owner;
      const params = { name, organization, measure, used, limit, percent, refuses: this.settings.storageGate };
      const template = percent === 100 ? 'limit-reached' : 'limit-near';
      const message = {
        channel: 'mail',
        template,
        language,
        to,
        userId,
        params,
        usefulSeconds: USEFUL_SECONDS,
      } as const;
      receipts.push(await this.messages.enqueue(message, tx));
    }
    return receipts;
  }
}

function limitOf({ limits }: Entitlement, measure: Measure): number | null {
  if (measure === 'workflow_runs') return limits.monthlyWorkflowRuns;
  return measure === 'model_tokens' ? limits.includedTokens : limits.storageBytes;
}

async function usedOf(tx: EntityManager, { pool }: Entitlement, measure: Measure): Promise<number> {
  if (measure === 'workflow_runs') return runsOfMonth(tx, pool);
  return measure === 'model_tokens' ? tokensOfMonth(tx, pool) : (await readStorage(tx, pool)).used;
}
