import { SlowCounters } from '@app/auth';
import { RateLimitedError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';

/** So many calls in so many seconds, counted from the first. */
export interface SlowLimit {
  bucket: string;
  limit: number;
  seconds: number;
}

/** Limits over hours and days, for codes, mails and exports. */
@Injectable()
export class SlowLimiter {
  constructor(
    private readonly counters: SlowCounters,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Counts a call.
   * @param who an account's number, or a `rateKey` of what a client chose
   * @throws RateLimitedError beyond the limit
   */
  async hit({ bucket, limit, seconds }: SlowLimit, who: string): Promise<void> {
    if (!this.limiter.enabled) return;
    const { hits, secondsLeft } = await this.counters.count(bucket, who, seconds);
    if (hits > limit)
      throw new RateLimitedError(`Request was throttled. Expected available in ${secondsLeft} seconds.`, secondsLeft);
  }

  /** Takes a call back that turned out to be no misuse. */
  async forgive({ bucket }: SlowLimit, who: string): Promise<void> {
    await this.counters.forgive(bucket, who);
  }
}
