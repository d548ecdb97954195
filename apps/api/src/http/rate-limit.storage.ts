import type { AppConfig } from '@app/config';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Redis, type Result } from 'ioredis';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countHits(keys: number, ...keysTtlAndHits: (string | number)[]): Result<number[], Context>;
  }
}

/** One atomic step, so that no counter is ever left without an end. Gives the count of each key after its hits. */
const COUNT_HITS = `
  local counts = {}
  for i, key in ipairs(KEYS) do
    local hits = tonumber(ARGV[i + 1])
    counts[i] = redis.call('INCRBY', key, hits)
    if counts[i] == hits then redis.call('PEXPIRE', key, ARGV[1]) end
  end
  return counts`;

const WINDOW_MS = 60_000;
/** Up to this share of its limit a caller is counted without waiting for Redis. */
const UNHURRIED = 0.25;
/** How long a count may be on its way to the other replicas. */
const BEHIND_MS = 20;
const REDIS_TIMEOUT_MS = 250;
/** How long Redis is left alone after it failed, so that requests do not wait for it one by one. */
const RETRY_AFTER_MS = 1000;
const MAX_KEYS = 100_000;

export interface Hits {
  totalHits: number;
  /** Whole seconds until the window ends. */
  timeToExpire: number;
  isBlocked: boolean;
  timeToBlockExpire: number;
}

/** What this replica knows of one caller in the present window. */
interface Known {
  /** Of all replicas, as Redis said last. */
  total: number;
  /** Counted here, not yet confirmed. */
  pending: number;
  /** Of these, those that Redis has not been told of while it was away. */
  unsent: number;
  /** Whether Redis has answered for it in this window. */
  confirmed: boolean;
}

/** Hits that go to Redis together. */
interface Batch {
  hits: Map<string, number>;
  window: number;
  known: Map<string, Known>;
  /** Set when somebody waits for it, or when it is on its way. */
  soon?: Promise<Map<string, number>>;
  sent?: Promise<Map<string, number>>;
}

/**
 * Counts calls in the minutes of the clock, in Redis, so that all replicas share them
 * (docs/contract/reliability.md#rate-limits). The first call
 * of a caller waits for the count; then, far below the limit, calls go on at once and their count follows within 20 ms;
 * from a quarter of the limit on each call again waits for its exact number. The price: a burst that meets several
 * replicas within the same 20 ms may get up to a quarter of the limit more on each. While Redis is away each replica
 * counts for itself, and tells of it when it is back: nothing goes unlimited, sign-in included.
 */
export class RateLimitStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly logger = new Logger(RateLimitStorage.name);
  private readonly redis: Redis;
  private readonly prefix: string;
  private known = new Map<string, Known>();
  private window = 0;
  private batch: Batch = { hits: new Map(), window: 0, known: this.known };
  private timer: NodeJS.Timeout | undefined;
  private redisRestsUntil = 0;

  constructor({ url, keyPrefix }: AppConfig['redis']) {
    this.prefix = `${keyPrefix}:rate:`;
    this.redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: REDIS_TIMEOUT_MS,
      connectTimeout: 2000,
      retryStrategy: (tries) => Math.min(tries * 100, 2000),
      scripts: { countHits: { lua: COUNT_HITS } },
    });
    this.redis.on('error', (error) => this.logger.debug(`Redis: ${error.message}`));
  }

  async increment(key: string, _ttl: number, limit: number): Promise<Hits> {
    return this.count(key, limit);
  }

  /**
   * @param key who is counted, and for what
   * @param hits for how many calls this one counts
   * @returns at once while the caller is far below the limit
   */
  count(key: string, limit: number, hits = 1): Hits | Promise<Hits> {
    const now = Date.now();
    const known = this.knownOf(key, Math.floor(now / WINDOW_MS));
    known.pending += hits;
    const seconds = Math.max(1, Math.ceil(((this.window + 1) * WINDOW_MS - now) / 1000));
    const estimate = known.total + known.pending;
    if (now < this.redisRestsUntil) {
      known.unsent += hits;
      return hitsOf(estimate, limit, seconds);
    }
    const { batch } = this;
    const place = (batch.hits.get(key) ?? 0) + known.unsent + hits;
    known.unsent = 0;
    batch.hits.set(key, place);
    if (!known.confirmed || estimate > limit * UNHURRIED)
      return this.exactly(batch, key, place, known).then((total) => hitsOf(total, limit, seconds));
    this.timer ??= setTimeout(() => this.send(this.batch), BEHIND_MS);
    return hitsOf(estimate, limit, seconds);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
    this.redis.disconnect();
  }

  private knownOf(key: string, window: number): Known {
    if (window !== this.window || this.known.size >= MAX_KEYS) {
      if (this.batch.hits.size > 0) void this.send(this.batch);
      this.known = new Map();
      this.window = window;
      this.batch = this.openBatch();
    }
    let known = this.known.get(key);
    if (!known) this.known.set(key, (known = { total: 0, pending: 0, unsent: 0, confirmed: false }));
    return known;
  }

  /** All calls of this turn of the event loop go together, each with a number of its own. */
  private async exactly(batch: Batch, key: string, place: number, known: Known): Promise<number> {
    batch.soon ??= new Promise<void>((done) => setImmediate(done)).then(() => this.send(batch));
    const counted = (await batch.soon).get(key);
    return counted === undefined ? known.total + known.pending : counted - batch.hits.get(key)! + place;
  }

  /** @returns the counts by key; empty when Redis did not take them, which then count here only */
  private send(batch: Batch): Promise<Map<string, number>> {
    return (batch.sent ??= this.dispatch(batch));
  }

  private async dispatch(batch: Batch): Promise<Map<string, number>> {
    if (this.batch === batch) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.batch = this.openBatch();
    }
    const { hits, window, known } = batch;
    const keys = [...hits.keys()];
    if (keys.length === 0) return new Map();
    const names = keys.map((key) => `${this.prefix}${key}:${window}`);
    try {
      const counts = await this.redis.countHits(keys.length, ...names, WINDOW_MS, ...hits.values());
      keys.forEach((key, index) => confirm(known.get(key), hits.get(key)!, counts[index]!));
      return new Map(keys.map((key, index) => [key, counts[index]!]));
    } catch (error) {
      if (Date.now() >= this.redisRestsUntil) this.logger.warn(`Rate limits are counted per replica: ${String(error)}`);
      this.redisRestsUntil = Date.now() + RETRY_AFTER_MS;
      for (const key of keys) lose(known.get(key), hits.get(key)!, isLate(error));
      return new Map();
    }
  }

  private openBatch(): Batch {
    return { hits: new Map(), window: this.window, known: this.known };
  }
}

function hitsOf(totalHits: number, limit: number, timeToExpire: number): Hits {
  const isBlocked = totalHits > limit;
  return { totalHits, timeToExpire, isBlocked, timeToBlockExpire: isBlocked ? timeToExpire : 0 };
}

function confirm(known: Known | undefined, hits: number, total: number): void {
  if (!known) return;
  known.confirmed = true;
  known.pending -= hits;
  known.total = Math.max(known.total, total);
}

/** A command that was sent and not answered in time is carried out as soon as Redis goes on. */
function isLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

function lose(known: Known | undefined, hits: number, isCounted: boolean): void {
  if (!known) return;
  if (!isCounted) {
    known.unsent += hits;
    return;
  }
  known.total += hits;
  known.pending -= hits;
}
