import { UnavailableError } from '@app/common';
import type { DataSource } from 'typeorm';
import type { PriceSource } from '../prices/price-book.js';
import type { UsageLedger } from './usage-ledger.js';
import { IN_PERIOD, type Period, PERIOD } from './usage-of-period.js';

export interface UsageSum {
  /** In the currency of the deployment; what has no price in it counts as 0. */
  spend: number;
  /** Of that, for reading from the caches of endpoints, and for writing to them. */
  cachedSpend: number;
  cacheWriteSpend: number;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  /** To endpoints; one that was tried again counts each time. */
  requests: number;
  /** Of these, those without a price in the currency of the deployment. More than 0: `spend` is a floor. */
  unpriced: number;
}

export interface UsageReport {
  currency: string;
  period: Period;
  totals: UsageSum;
  /** Every day of the period, oldest first. */
  daily: ({ date: string } & UsageSum)[];
}

/** By one price: a model has several where its price changed. */
export interface ModelUse extends Omit<UsageSum, 'spend' | 'cachedSpend' | 'cacheWriteSpend' | 'unpriced'> {
  model: string;
  /** Whether the key was one of a person or their organisation: such tokens are in no plan. */
  ownKey: boolean;
  priceSource: PriceSource | null;
  priceVersion: string | null;
  /** Of what follows. Null: there was no price. */
  currency: string | null;
  spend: number | null;
  cachedSpend: number | null;
  cacheWriteSpend: number | null;
}

export interface PersonUse {
  /** Null: an account that is gone. */
  userId: number | null;
  spend: number;
  totalTokens: number;
  requests: number;
  unpriced: number;
}

/** Whose use: one's own, wherever it was, or that of all who were members of an organisation at that time. */
export type UsageScope = { userId: number } | { organizationId: number };

const TOKENS = `coalesce(sum(m.prompt_tokens), 0)::float8 AS "promptTokens",
  coalesce(sum(m.completion_tokens), 0)::float8 AS "completionTokens",
  coalesce(sum(m.prompt_tokens + m.completion_tokens), 0)::float8 AS "totalTokens",
  coalesce(sum(m.cached_tokens), 0)::float8 AS "cachedTokens",
  coalesce(sum(m.cache_write_tokens), 0)::float8 AS "cacheWriteTokens", count(m.id)::int AS requests`;
const SUMS = `coalesce(sum(m.cost) FILTER (WHERE m.currency = $4), 0)::float8 AS spend,
  coalesce(sum(m.cached_cost) FILTER (WHERE m.currency = $4), 0)::float8 AS "cachedSpend",
  coalesce(sum(m.cache_write_cost) FILTER (WHERE m.currency = $4), 0)::float8 AS "cacheWriteSpend", ${TOKENS},
  (count(m.id) - count(m.cost) FILTER (WHERE m.currency = $4))::int AS unpriced`;
/** Of rows that a release wrote which knew no other. */
const SOURCE = `coalesce(m.price_source, CASE WHEN m.cost > 0 THEN 'deployment' END)`;

/** What somebody, or an organisation, has used language models for. */
export class UsageTotals {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: UsageLedger,
    readonly isTracking: boolean,
    readonly currency: string,
  ) {}

  /** @throws UnavailableError `cost_tracking_disabled` */
  async report(scope: UsageScope, period: Period): Promise<UsageReport> {
    this.requireTracking();
    await this.ledger.flush();
    const daily = await this.dataSource.query<UsageReport['daily']>(
      `SELECT to_char(day.at, 'YYYY-MM-DD') AS date, ${SUMS}
       FROM generate_series(0, $3::date - $2::date) AS n(i)
       CROSS JOIN LATERAL (SELECT $2::date + n.i AS at) day
       LEFT JOIN model_usage m ON ${whose(scope)} AND m.created_at >= day.at::timestamp AT TIME ZONE 'UTC'
         AND m.created_at < (day.at + 1)::timestamp AT TIME ZONE 'UTC'
       GROUP BY day.at ORDER BY day.at`,
      this.values(scope, period),
    );
    return { currency: this.currency, period, totals: daily.reduce(added, NO_USE), daily };
  }

  /** Dearest first, in the currency of the deployment; other money last. @throws UnavailableError `cost_tracking_disabled` */
  async byModel(scope: UsageScope, period: Period): Promise<ModelUse[]> {
    this.requireTracking();
    return this.dataSource.query<ModelUse[]>(
      `WITH ${PERIOD}
       SELECT m.model, m.own_key AS "ownKey", ${SOURCE} AS "priceSource", m.price_version AS "priceVersion",
         CASE WHEN m.cost IS NOT NULL THEN m.currency END AS currency, sum(m.cost)::float8 AS spend,
         sum(m.cached_cost)::float8 AS "cachedSpend", sum(m.cache_write_cost)::float8 AS "cacheWriteSpend", ${TOKENS}
       FROM model_usage m, period WHERE ${whose(scope)} AND ${IN_PERIOD}
       GROUP BY m.model, m.own_key, ${SOURCE}, m.price_version, CASE WHEN m.cost IS NOT NULL THEN m.currency END
       ORDER BY (CASE WHEN m.cost IS NOT NULL THEN m.currency END) IS DISTINCT FROM $4, spend DESC NULLS LAST, m.model, m.own_key, "priceVersion"`,
      this.values(scope, period),
    );
  }

  /** Dearest first. @throws UnavailableError `cost_tracking_disabled` */
  async byPerson(organizationId: number, period: Period): Promise<PersonUse[]> {
    this.requireTracking();
    return this.dataSource.query<PersonUse[]>(
      `WITH ${PERIOD}
       SELECT m.user_id AS "userId", coalesce(sum(m.cost) FILTER (WHERE m.currency = $4), 0)::float8 AS spend,
         sum(m.prompt_tokens + m.completion_tokens)::float8 AS "totalTokens", count(*)::int AS requests,
         (count(*) - count(m.cost) FILTER (WHERE m.currency = $4))::int AS unpriced
       FROM model_usage m, period WHERE m.organization_id = $1 AND ${IN_PERIOD}
       GROUP BY m.user_id ORDER BY spend DESC, m.user_id`,
      this.values({ organizationId }, period),
    );
  }

  private values(scope: UsageScope, { from, to }: Period): unknown[] {
    return ['userId' in scope ? scope.userId : scope.organizationId, from, to, this.currency];
  }

  private requireTracking(): void {
    if (!this.isTracking)
      throw new UnavailableError('The use of language models is not written down here.', {
        code: 'cost_tracking_disabled',
      });
  }
}

const whose = (scope: UsageScope) => ('userId' in scope ? 'm.user_id = $1' : 'm.organization_id = $1');

/** The sum of nothing. */
export const NO_USE: UsageSum = {
  spend: 0,
  cachedSpend: 0,
  cacheWriteSpend: 0,
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  requests: 0,
  unpriced: 0,
};

function added(sum: UsageSum, day: UsageSum): UsageSum {
  const names = Object.keys(NO_USE) as (keyof UsageSum)[];
  return Object.fromEntries(names.map((name) => [name, sum[name] + day[name]])) as unknown as UsageSum;
}
