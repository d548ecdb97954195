import { UnavailableError } from '@app/common';
import type { DataSource } from 'typeorm';
import type { UsageOutcome } from './observed-call.js';

/** A request to an endpoint that was made for a turn. */
export interface UsedCall {
  id: string;
  purpose: string;
  model: string;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  /** Of the prompt, written to the endpoint's cache. */
  cacheWriteTokens: number;
  /** In the currency of the deployment; null: the model had no price in it. */
  cost: number | null;
  currency: string;
  isEstimate: boolean;
  outcome: UsageOutcome;
  errorCode: string | null;
  durationMs: number;
  endedAt: Date;
}

/** What turns have used of language models, from the ledger. */
export class TurnUsage {
  constructor(
    private readonly dataSource: DataSource,
    private readonly isTracking: boolean,
    private readonly currency: string,
  ) {}

  /** What these turns have cost since the first of the month (UTC), on the user's account; null where nothing is written down. */
  async spentThisMonth(userId: number, turnIds: readonly string[]): Promise<number | null> {
    if (!this.isTracking) return null;
    const [{ spent }] = await this.dataSource.query<[{ spent: number }]>(
      `SELECT coalesce(sum(m.cost), 0)::float8 AS spent FROM model_usage m
       WHERE m.user_id = $1 AND m.turn_id = ANY ($2::uuid[]) AND m.currency = $3
         AND m.created_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`,
      [userId, turnIds, this.currency],
    );
    return spent;
  }

  /** On the user's account, oldest first. @throws UnavailableError `cost_tracking_disabled` */
  async list(userId: number, turnId: string): Promise<UsedCall[]> {
    if (!this.isTracking)
      throw new UnavailableError('The use of language models is not written down here.', {
        code: 'cost_tracking_disabled',
      });
    return this.dataSource.query<UsedCall[]>(
      `SELECT id, purpose, model, prompt_tokens::float8 AS "promptTokens", completion_tokens::float8 AS "completionTokens",
         cached_tokens::float8 AS "cachedTokens",
         cache_write_tokens::float8 AS "cacheWriteTokens", CASE WHEN currency = $3 THEN cost END::float8 AS cost, $3::text AS currency, is_estimate AS "isEstimate", outcome,
         error_code AS "errorCode", duration_ms AS "durationMs", created_at AS "endedAt"
       FROM model_usage WHERE turn_id = $2 AND user_id = $1 ORDER BY created_at, id`,
      [userId, turnId, this.currency],
    );
  }
}
