import { newId } from '@app/common';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PeriodicTasks } from './periodic-tasks.js';

/** In intervals: whoever does a task renews its lease each time and keeps it, a little delay included. */
const LEASE_INTERVALS = 1.5;
/** Of what comes back more often, the lease costs less than the work. */
const SHORTEST_LEASE_SECONDS = 2;

/**
 * Work that comes back and that one process of all replicas does. Who has the lease does it until that process ends or
 * falls silent; then another takes over, after at most three intervals (or two seconds, if that is more). A slow turn may overlap with the next
 * holder's: the work has to bear that, as everything that comes back does.
 */
@Injectable()
export class SoleTasks implements BeforeApplicationShutdown {
  private readonly logger = new Logger(SoleTasks.name);
  private readonly holder = newId();
  private readonly names: string[] = [];

  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly dataSource: DataSource,
  ) {}

  /** @param name the same in all processes that may do it, and of this work alone */
  every(name: string, seconds: number, work: () => Promise<void>): void {
    this.names.push(name);
    const leaseSeconds = Math.max(SHORTEST_LEASE_SECONDS, seconds * LEASE_INTERVALS);
    let othersUntil = -Infinity;
    let renewAt = -Infinity;
    this.tasks.every(name, seconds, async () => {
      const now = performance.now();
      if (now < othersUntil) return;
      if (now >= renewAt) {
        const leftSeconds = await this.lease(name, leaseSeconds);
        renewAt = leftSeconds === null ? now + leaseSeconds * 500 : -Infinity;
        if (leftSeconds !== null) {
          othersUntil = now + leftSeconds * 1000;
          return;
        }
      }
      await work();
    });
  }

  /** A process that stops leaves its tasks to the others at once. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.names.length === 0) return;
    try {
      await this.dataSource.query('DELETE FROM task_leases WHERE holder = $1', [this.holder]);
    } catch (error) {
      // A stop goes on without the database; the leases run out.
      this.logger.warn(`Periodic tasks are taken over a little later: ${String(error)}`);
    }
  }

  /** @returns null when this process has the lease, else for how many seconds another one has it. */
  private async lease(name: string, seconds: number): Promise<number | null> {
    const [row] = await this.dataSource.query<[{ mine: boolean; left: number | null }]>(
      `WITH other AS MATERIALIZED (
         SELECT extract(epoch FROM leased_until - now())::float8 AS left_seconds FROM task_leases
         WHERE name = $1 AND holder <> $2 AND leased_until > now()),
       taken AS (
         INSERT INTO task_leases AS t (name, holder, leased_until)
         SELECT $1, $2, now() + $3 * interval '1 second' WHERE NOT EXISTS (SELECT FROM other)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
         WHERE t.holder = excluded.holder OR t.leased_until <= now() RETURNING 1)
       SELECT EXISTS (SELECT FROM taken) AS mine, (SELECT left_seconds FROM other) AS "left"`,
      [name, this.holder, seconds],
    );
    return row.mine ? null : (row.left ?? 0);
  }
}
