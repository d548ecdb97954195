import { newId } from '@app/common';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PeriodicTasks } from './periodic-tasks.js';

/** In intervals: whoever does a task keeps its lease so long after it was last renewed, a little delay included. */
const LEASE_INTERVALS = 1.5;
/** Of what comes back more often, the lease costs less than the work. */
const SHORTEST_LEASE_SECONDS = 3;
/** How often a process looks whether one of its leases needs it. */
const TICK_SECONDS = 0.5;
/** A process does not look more often than this whether leases of others have run out. */
const LOOK_SECONDS = 3;
/** Of a lease: when less is left, it is renewed. */
const RENEWED_AT = 0.5;

interface SoleTask {
  leaseSeconds: number;
  /** On this process' clock, in ms: until then it is this one's, or another's. */
  mineUntil: number;
  othersUntil: number;
}

/**
 * Work that comes back and that one process of all replicas does. Who has the lease does it until that process ends or
 * falls silent; then another takes over, after at most three intervals (or six seconds, if that is more). A slow turn may overlap with the next
 * holder's: the work has to bear that, as everything that comes back does. All leases of a process are asked for in one
 * statement, so that it costs the same however many tasks there are.
 */
@Injectable()
export class SoleTasks implements BeforeApplicationShutdown {
  private readonly logger = new Logger(SoleTasks.name);
  private readonly holder = newId();
  private readonly soleTasks = new Map<string, SoleTask>();
  private lookAt = -Infinity;
  private asking: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly dataSource: DataSource,
  ) {}

  /** @param name the same in all processes that may do it, and of this work alone */
  every(name: string, seconds: number, work: () => Promise<void>): void {
    if (this.soleTasks.size === 0) this.tasks.every('leases of tasks', TICK_SECONDS, () => this.renew());
    const leaseSeconds = Math.max(SHORTEST_LEASE_SECONDS, seconds * LEASE_INTERVALS);
    const task: SoleTask = { leaseSeconds, mineUntil: -Infinity, othersUntil: -Infinity };
    this.soleTasks.set(name, task);
    this.tasks.every(name, seconds, async () => {
      if (performance.now() >= Math.max(task.mineUntil, task.othersUntil)) await this.renew();
      if (performance.now() < task.mineUntil) await work();
    });
  }

  /** A process that stops leaves its tasks to the others at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.soleTasks.size === 0) return;
    try {
      // A lease that is still being asked for would be nobody's until it runs out.
      await this.asking;
      await this.dataSource.query('DELETE FROM task_leases WHERE holder = $1', [this.holder]);
    } catch (error) {
      // A stop goes on without the database; the leases run out.
      this.logger.warn(`Periodic tasks are taken over a little later: ${String(error)}`);
    }
  }

  /** Several tasks that are due at once wait for the same answer. */
  private renew(): Promise<void> {
    this.asking ??= this.ask().finally(() => (this.asking = null));
    return this.asking;
  }

  /** Renews what is this process' before it runs out, and asks for what may be free. */
  private async ask(): Promise<void> {
    const now = performance.now();
    const looks = now >= this.lookAt;
    const wanted = [...this.soleTasks].filter(([, { leaseSeconds, mineUntil, othersUntil }]) =>
      mineUntil > now ? mineUntil - now < leaseSeconds * 1000 * RENEWED_AT : looks && othersUntil <= now,
    );
    if (wanted.length === 0 || this.stopped) return;
    if (looks) this.lookAt = now + LOOK_SECONDS * 1000;
    const rows = await this.dataSource.query<{ name: string; left: number | null }[]>(LEASE, [
      this.holder,
      wanted.map(([name]) => name),
      wanted.map(([, { leaseSeconds }]) => leaseSeconds),
    ]);
    for (const { name, left } of rows) {
      const task = this.soleTasks.get(name)!;
      // Reckoned from before the question, so that it is over here before it is over there.
      task.mineUntil = left === null ? now + task.leaseSeconds * 1000 : -Infinity;
      task.othersUntil = left === null ? -Infinity : now + Math.max(0, left) * 1000;
    }
  }
}

/**
 * A row for each name: `left` is null when the lease is this process' now, else for how many seconds it is another's. In
 * the order of the names, so that processes that ask for the same do not wait for each other in a circle.
 */
const LEASE = `WITH wanted AS (
    SELECT * FROM unnest($2::text[], $3::float8[]) AS w (name, seconds)),
  others AS MATERIALIZED (
    SELECT t.name, extract(epoch FROM t.leased_until - now())::float8 AS "left" FROM task_leases t JOIN wanted USING (name)
    WHERE t.holder <> $1 AND t.leased_until > now()),
  taken AS (
    INSERT INTO task_leases AS t (name, holder, leased_until)
    SELECT name, $1, now() + seconds * interval '1 second' FROM wanted WHERE name NOT IN (SELECT name FROM others)
    ORDER BY name
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
    WHERE t.holder = excluded.holder OR t.leased_until <= now() RETURNING name)
  SELECT name, CASE WHEN t.name IS NULL THEN coalesce(o."left", 0) END AS "left"
  FROM wanted w LEFT JOIN others o USING (name) LEFT JOIN taken t USING (name)`;
