import { UnavailableError } from '@app/common';
import type { DataSource } from 'typeorm';
import type { UsageLedger } from './usage-ledger.js';
import { FIRST_DAY, OF_PERIOD } from './usage-of-period.js';

export interface UsageSum {
  /** In the currency of the deployment; what has no price counts as 0. */
  spend: number;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  /** To endpoints; one that was tried again counts each time. */
  requests: number;
}

export interface UsageReport {
  currency: string;
  /** `YYYY-MM-DD`, in UTC, both inclusive. */
  startDate: string;
  endDate: string;
  totals: UsageSum;
  /** Every day of the period, oldest first. */
  daily: ({ date: string; unpriced: number } & UsageSum)[];
  /** Dearest first. */
  byModel: { model: string; spend: number; totalTokens: number; requests: number }[];
  /** More than 0: `spend` is a floor. */
  unpricedRequests: number;
}

const SUMS = `coalesce(sum(m.cost), 0)::float8 AS spend, coalesce(sum(m.prompt_tokens), 0)::float8 AS "promptTokens",
  coalesce(sum(m.completion_tokens), 0)::float8 AS "completionTokens",
  coalesce(sum(m.prompt_tokens + m.completion_tokens), 0)::float8 AS "totalTokens", count(m.id)::int AS requests`;

/** What somebody has used language models for. */
export class UsageTotals {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: UsageLedger,
    private readonly isTracking: boolean,
    private readonly currency: string,
  ) {}

  /**
   * @param days up to today, which counts
   * @throws UnavailableError `cost_tracking_disabled`
   */
  async report(userId: number, days: number): Promise<UsageReport> {
    if (!this.isTracking)
      throw new UnavailableError('The use of language models is not written down here.', {
        code: 'cost_tracking_disabled',
      });
    await this.ledger.flush();
    const values = [userId, days];
    const daily = await this.dataSource.query<UsageReport['daily']>(
      `WITH ${FIRST_DAY}
       SELECT to_char(day.at, 'YYYY-MM-DD') AS date, ${SUMS}, (count(m.id) - count(m.cost))::int AS unpriced
       FROM generate_series(0, $2::int - 1) AS n(i)
       CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE 'UTC')::date - ($2::int - 1 - n.i) AS at) day
       LEFT JOIN model_usage m ON m.user_id = $1 AND m.created_at >= day.at::timestamp AT TIME ZONE 'UTC'
         AND m.created_at < (day.at + 1)::timestamp AT TIME ZONE 'UTC'
       GROUP BY day.at ORDER BY day.at`,
      values,
    );
    const byModel = await this.dataSource.query<UsageReport['byModel']>(
      `WITH ${FIRST_DAY}
       SELECT m.model, coalesce(sum(m.cost), 0)::float8 AS spend,
         sum(m.prompt_tokens + m.completion_tokens)::float8 AS "totalTokens", count(*)::int AS requests
       FROM model_usage m, first_day WHERE ${OF_PERIOD} GROUP BY m.model ORDER BY spend DESC, m.model`,
      values,
    );
    return {
      currency: this.currency,
      startDate: daily[0]!.date,
      endDate: daily.at(-1)!.date,
      totals: daily.reduce(added, none),
      daily,
      byModel,
      unpricedRequests: daily.reduce((sum, { unpriced }) => sum + unpriced, 0),
    };
  }
}

const none: UsageSum = { spend: 0, promptTokens: 0, completionTokens: 0, totalTokens: 0, requests: 0 };

function added(sum: UsageSum, day: UsageSum): UsageSum {
  return {
    spend: sum.spend + day.spend,
    promptTokens: sum.promptTokens + day.promptTokens,
    completionTokens: sum.completionTokens + day.completionTokens,
    totalTokens: sum.totalTokens + day.totalTokens,
    requests: sum.requests + day.requests,
  };
}
