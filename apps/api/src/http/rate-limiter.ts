import { hash } from 'node:crypto';
import { RateLimitedError } from '@app/common';
import type { AppConfig } from '@app/config';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Response } from 'express';
import type { RateLimit } from './route.js';

const WINDOW_MS = 60_000;

/** Counts a call and refuses it beyond the limit. Guards call it for whole routes, handlers for what only they know. */
export class RateLimiter {
  constructor(
    private readonly storage: ThrottlerStorage,
    private readonly settings: AppConfig['rateLimits'],
  ) {}

  /**
   * @param who a user, an address, an account name; kept as it is, so hash what is secret
   * @throws RateLimitedError
   */
  async hit({ bucket, perMinute }: RateLimit, who: string, response: Response): Promise<void> {
    if (!this.settings.enabled) return;
    const hits = await this.storage.increment(`${bucket}:${who}`, WINDOW_MS, perMinute, 0, bucket);
    const left = Math.max(0, perMinute - hits.totalHits);
    response.setHeader('RateLimit', `"${bucket}";r=${left};t=${hits.timeToExpire}`);
    response.setHeader('RateLimit-Policy', `"${bucket}";q=${perMinute};w=60`);
    if (!hits.isBlocked) return;
    const seconds = hits.timeToExpire;
    throw new RateLimitedError(
      `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`,
      seconds,
    );
  }
}

/** A short stand-in for text that clients choose, such as an account name. */
export function rateKey(text: string): string {
  return hash('sha256', text.normalize('NFKC').trim().toLowerCase(), 'base64url').slice(0, 22);
}
