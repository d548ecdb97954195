import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';

const PURGE_SECONDS = 600;

/** Calls counted over hours and days, in Postgres: rare, and never forgotten. */
@Injectable()
export class SlowCounters implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('slow counters', PURGE_SECONDS, async () => {
      await this.dataSource.query('DELETE FROM slow_counters WHERE ends_at < now()');
    });
  }

  /** Counts a call; so many seconds after the first one, counting begins anew. @returns the calls, this one included */
  async count(bucket: string, who: string, seconds: number): Promise<{ hits: number; secondsLeft: number }> {
    const [row] = await this.dataSource.query<[{ hits: number; secondsLeft: number }]>(
      `INSERT INTO slow_counters AS c (bucket, who, hits, ends_at) VALUES ($1, $2, 1, now() + make_interval(secs => $3))
       ON CONFLICT (bucket, who) DO UPDATE
         SET hits = CASE WHEN c.ends_at <= now() THEN 1 ELSE c.hits + 1 END,
             ends_at = CASE WHEN c.ends_at <= now() THEN excluded.ends_at ELSE c.ends_at END
       RETURNING hits, ceil(extract(epoch FROM ends_at - now()))::int AS "secondsLeft"`,
      [bucket, who, seconds],
    );
    return row;
  }

  /** Takes a call back that turned out to be no misuse. */
  async forgive(bucket: string, who: string): Promise<void> {
    await this.dataSource.query(
      'UPDATE slow_counters SET hits = hits - 1 WHERE bucket = $1 AND who = $2 AND hits > 0',
      [bucket, who],
    );
  }
}
