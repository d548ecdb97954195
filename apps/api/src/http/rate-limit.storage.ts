import type { AppConfig } from '@app/config';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Redis, type Result } from 'ioredis';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countHit(key: string, ttlMs: number): Result<number, Context>;
  }
}

/** One atomic step, so that no counter is ever left without an end. */
const COUNT_HIT = `
  local hits = redis.call('INCR', KEYS[1])
  if hits == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return hits`;

const REDIS_TIMEOUT_MS = 250;
/** How long Redis is left alone after it failed, so that requests do not wait for it one by one. */
const RETRY_AFTER_MS = 1000;
const MAX_LOCAL_KEYS = 100_000;

export interface Hits {
  totalHits: number;
  /** Whole seconds until the window ends. */
  timeToExpire: number;
  isBlocked: boolean;
  timeToBlockExpire: number;
}

/**
 * Counts calls in the minutes of the clock, in Redis, so that all replicas share them (reliability, C9). While Redis is
 * away each replica counts for itself: nothing goes unlimited, and nothing is refused for that reason alone.
 */
export class RateLimitStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly logger = new Logger(RateLimitStorage.name);
  private readonly redis: Redis;
  private readonly prefix: string;
  private local = new Map<string, number>();
  private localWindow = 0;
  private redisRestsUntil = 0;

  constructor({ url, keyPrefix }: AppConfig['redis']) {
    this.prefix = `${keyPrefix}:rate:`;
    this.redis = new Redis(url, {
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: REDIS_TIMEOUT_MS,
      connectTimeout: 2000,
      retryStrategy: (tries) => Math.min(tries * 100, 2000),
      scripts: { countHit: { lua: COUNT_HIT, numberOfKeys: 1 } },
    });
    this.redis.on('error', (error) => this.logger.debug(`Redis: ${error.message}`));
  }

  /** @param key who is counted, and for what; @param ttl the window in milliseconds */
  async increment(key: string, ttl: number, limit: number): Promise<Hits> {
    const now = Date.now();
    const window = Math.floor(now / ttl);
    const totalHits = await this.count(key, window, ttl, now);
    const timeToExpire = Math.max(1, Math.ceil(((window + 1) * ttl - now) / 1000));
    const isBlocked = totalHits > limit;
    return { totalHits, timeToExpire, isBlocked, timeToBlockExpire: isBlocked ? timeToExpire : 0 };
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  private async count(key: string, window: number, ttl: number, now: number): Promise<number> {
    if (now < this.redisRestsUntil) return this.countLocally(key, window);
    try {
      return await this.redis.countHit(`${this.prefix}${key}:${window}`, ttl);
    } catch (error) {
      if (now >= this.redisRestsUntil) this.logger.warn(`Rate limits are counted per replica: ${String(error)}`);
      this.redisRestsUntil = Date.now() + RETRY_AFTER_MS;
      return this.countLocally(key, window);
    }
  }

  private countLocally(key: string, window: number): number {
    if (window !== this.localWindow || this.local.size >= MAX_LOCAL_KEYS) {
      this.local = new Map();
      this.localWindow = window;
    }
    const hits = (this.local.get(key) ?? 0) + 1;
    this.local.set(key, hits);
    return hits;
  }
}
