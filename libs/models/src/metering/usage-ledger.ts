import { isUuid, newTimeOrderedId } from '@app/common';
import type { TokenUsage, UsageContext } from '@app/integrations';
import { Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { PriceBook, type PricedCall } from '../prices/price-book.js';
import type { CallObserver, ObservedCall, UsageOutcome } from './observed-call.js';

/** One request to a model endpoint. */
export interface MeteredCall {
  /** Absent: on nobody's account. */
  context: UsageContext | undefined;
  modelId: number;
  model: string;
  usage: TokenUsage;
  /** Absent: the cost of `usage`, of which nobody says where it comes from. */
  price?: PricedCall;
  durationMs: number;
  outcome: UsageOutcome;
  errorCode: string | null;
  /** Whether the key was one of the person or their organisation. */
  isOwnKey?: boolean;
}

const FLUSH_MS = 1_000;
const FLUSH_ROWS = 500;
/** While the database is away; older ones are given up. */
const MAX_ROWS = 20_000;

/**
 * Writes down what models are used for, in batches and beside the answers: a process that is killed loses the last
 * second at most.
 */
export class UsageLedger implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(UsageLedger.name);
  private rows: UsageRow[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private readonly observers: CallObserver[] = [];

  readonly prices: PriceBook;

  /** @param dataSource null: nothing is metered @param usdRate see `PriceBook` */
  constructor(
    private readonly dataSource: DataSource | null,
    currency: string,
    usdRate: number | null = null,
  ) {
    this.prices = new PriceBook(currency, usdRate);
  }

  /** Whoever keeps what was said in calls: told of those that are written down. */
  observe(observer: CallObserver): void {
    if (this.dataSource) this.observers.push(observer);
  }

  get isObserved(): boolean {
    return this.observers.length > 0;
  }

  tell(call: ObservedCall): void {
    for (const observer of this.observers) observer(call);
  }

  /** @returns the id of its row */
  record(call: MeteredCall): string {
    const row = toRow(call, this.prices.currency);
    if (this.dataSource) this.keep(row);
    return row.id;
  }

  private keep(row: UsageRow): void {
    this.rows.push(row);
    if (this.rows.length >= FLUSH_ROWS) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Resolves when all that was recorded before is written, or could not be. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  onModuleDestroy(): Promise<void> {
    return this.flush();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.flush();
  }

  private async write(): Promise<void> {
    const batch = this.rows.splice(0);
    if (batch.length === 0) return;
    try {
      await this.dataSource!.query(INSERT, [JSON.stringify(batch)]);
    } catch (error) {
      this.logger.warn(`The use of models could not be written down: ${String(error)}`);
      this.rows.unshift(...batch);
      const excess = this.rows.length - MAX_ROWS;
      if (excess > 0) this.logger.error(`${this.rows.splice(0, excess).length} uses of models are lost.`);
      this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
    }
  }
}

type UsageRow = ReturnType<typeof toRow>;

const money = (amount: number | null | undefined) => amount?.toFixed(10) ?? null;

function toRow(call: MeteredCall, own: string) {
  const { context, modelId, model, usage, price, durationMs, outcome, errorCode, isOwnKey = false } = call;
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const { isEstimate = false } = usage;
  return {
    id: newTimeOrderedId(),
    user_id: context?.userId ?? null,
    purpose: context?.purpose.slice(0, 40) ?? '',
    turn_id: uuidOrNull(context?.turnId),
    workflow_id: uuidOrNull(context?.workflowId),
    run_id: uuidOrNull(context?.runId),
    model_id: modelId,
    model,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    cached_tokens: cachedTokens,
    cache_write_tokens: cacheWriteTokens,
    cost: money(price ? price.cost?.total : usage.cost),
    cached_cost: money(price?.cost?.cached),
    cache_write_cost: money(price?.cost?.cacheWrite),
    currency: price?.currency ?? own,
    price_source: price?.source ?? null,
    price_version: price?.version ?? null,
    duration_ms: durationMs,
    outcome,
    error_code: errorCode,
    is_estimate: isEstimate,
    own_key: isOwnKey,
    created_at: new Date().toISOString(),
  };
}

function uuidOrNull(id: string | undefined): string | null {
  return isUuid(id) ? id : null;
}

/** On nobody's account where the account is gone by now; a batch may be written twice. */
const INSERT = `INSERT INTO model_usage (id, user_id, organization_id, purpose, turn_id, workflow_id, run_id, model_id, model,
    prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, cost, cached_cost, cache_write_cost, currency, price_source,
    price_version, duration_ms, outcome, error_code, is_estimate, own_key, created_at)
  SELECT n.id, u.id, o.id, n.purpose, n.turn_id, n.workflow_id, n.run_id, n.model_id, n.model,
    n.prompt_tokens, n.completion_tokens, n.cached_tokens, n.cache_write_tokens, n.cost, n.cached_cost, n.cache_write_cost, n.currency,
    n.price_source, n.price_version, n.duration_ms, n.outcome, n.error_code, n.is_estimate, n.own_key, n.created_at
  FROM jsonb_to_recordset($1::jsonb) AS n (id uuid, user_id integer, purpose text, turn_id uuid, workflow_id uuid, run_id uuid,
    model_id integer, model text, prompt_tokens bigint, completion_tokens bigint, cached_tokens bigint, cache_write_tokens bigint, cost numeric,
    cached_cost numeric, cache_write_cost numeric, currency text, price_source text, price_version text, duration_ms integer, outcome text,
    error_code text, is_estimate boolean, own_key boolean, created_at timestamptz)
  LEFT JOIN users u ON u.id = n.user_id
  LEFT JOIN organizations o ON o.id = u.organization_id AND NOT o.personal
  ON CONFLICT (id) DO NOTHING`;
