import { RateLimitedError } from '@app/common';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RateLimiter } from './rate-limiter.js';

/** So many calls in so many seconds, counted from the first. */
export interface SlowLimit {
  bucket: string;
  limit: number;
  seconds: number;
}

const PURGE_SECONDS = 600;

/** Limits over hours and days, for codes, mails and exports. They are counted in Postgres: rare, and never forgotten. */
@Injectable()
export class SlowLimiter implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limiter: RateLimiter,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('slow counters', PURGE_SECONDS, async () => {
      await this.dataSource.query('DELETE FROM slow_counters WHERE ends_at < now()');
    });
  }

  /**
   * Counts a call.
   * @param who an account's number, or a `rateKey` of what a client chose
   * @throws RateLimitedError beyond the limit
   */
  async hit({ bucket, limit, seconds }: SlowLimit, who: string): Promise<void> {
    if (!this.limiter.enabled) return;
    const [row] = await this.dataSource.query<[{ hits: number; seconds_left: number }]>(
      `INSERT INTO slow_counters AS c (bucket, who, hits, ends_at) VALUES ($1, $2, 1, now() + make_interval(secs => $3))
       ON CONFLICT (bucket, who) DO UPDATE
         SET hits = CASE WHEN c.ends_at <= now() THEN 1 ELSE c.hits + 1 END,
             ends_at = CASE WHEN c.ends_at <= now() THEN excluded.ends_at ELSE c.ends_at END
       RETURNING hits, ceil(extract(epoch FROM ends_at - now()))::int AS seconds_left`,
      [bucket, who, seconds],
    );
    if (row.hits > limit)
      throw new RateLimitedError(
        `Request was throttled. Expected available in ${row.seconds_left} seconds.`,
        row.seconds_left,
      );
  }

  /** Takes a call back that turned out to be no misuse. */
  async forgive({ bucket }: SlowLimit, who: string): Promise<void> {
    await this.dataSource.query(
      'UPDATE slow_counters SET hits = hits - 1 WHERE bucket = $1 AND who = $2 AND hits > 0',
      [bucket, who],
    );
  }
}
