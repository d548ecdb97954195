import { rateKey } from '@app/auth';
import { RateLimitedError } from '@app/common';
import type { AppConfig } from '@app/config';
import { normalizeIp } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { Hits, RateLimitStorage } from './rate-limit.storage.js';
import type { RateLimit } from './route.js';

/** Counts a call and refuses it beyond the limit. Guards call it for whole routes, handlers for what only they know. */
export class RateLimiter {
  constructor(
    private readonly storage: RateLimitStorage,
    private readonly settings: AppConfig['rateLimits'],
  ) {}

  get enabled(): boolean {
    return this.settings.enabled;
  }

  /**
   * Returns at once while the caller is far below the limit.
   * @param who a user, an address, an account name; kept as it is, so hash what is secret
   * @param calls for how many this one counts
   * @throws RateLimitedError
   */
  hit(limit: RateLimit, who: string, response: Response, calls = 1): void | Promise<void> {
    if (!this.settings.enabled) return;
    const hits = this.storage.count(`${limit.bucket}:${who}`, limit.perMinute, calls);
    if (hits instanceof Promise) return hits.then((exact) => tell(limit, exact, response));
    tell(limit, hits, response);
  }
}

function tell({ bucket, perMinute }: RateLimit, hits: Hits, response: Response): void {
  const seconds = hits.timeToExpire;
  response.setHeader('RateLimit', `"${bucket}";r=${Math.max(0, perMinute - hits.totalHits)};t=${seconds}`);
  response.setHeader('RateLimit-Policy', `"${bucket}";q=${perMinute};w=60`);
  if (!hits.isBlocked) return;
  const wait = `${seconds} second${seconds === 1 ? '' : 's'}`;
  throw new RateLimitedError(`Request was throttled. Expected available in ${wait}.`, seconds);
}

/** Whom a call from an address counts against: of IPv6, whole networks, since each subscriber has one to itself. */
export function addressKey({ ip }: Request): string {
  return rateKey(normalizeIp(ip ?? 'unknown'));
}
