import { AutoResetEvent } from '@app/common';
import type { AgentRunMessage } from '@app/contracts';
import { LiveBus } from '@app/live';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AgentRunEvent, END_EVENTS } from './agent-run.js';
import { type StoredRunEvent, toldEvents } from './compacted-events.js';

/** How soon something is seen that nobody told of, because Redis was away; later the longer nothing comes. */
const SILENCE_MS = 1000;
const MAX_SILENCE_MS = 5000;
const PAGE = 500;
/** Bytes of a page as they are stored: what a gateway told at length is read in smaller ones. */
const PAGE_BYTES = 1_000_000;

/** What is told of runs, for whoever wants to hear it: from our log, and as it comes from whichever process. */
@Injectable()
export class AgentRunFeed {
  private readonly logger = new Logger(AgentRunFeed.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
  ) {}

  /**
   * Events with a higher number than `after`, in order and without gaps; ends after the one that ends the run. A number
   * that the log of a run under way has not come to is of another one: then all of them. Null: nothing new for a while. Whether the caller may see the run is not asked here.
   */
  async *follow(
    runId: string,
    { after, signal }: { after: number; signal: AbortSignal },
  ): AsyncGenerator<AgentRunEvent | null, void> {
    const told = new AutoResetEvent();
    let inbox: AgentRunMessage[] = [];
    const subscription = this.live.subscribe(`agent-run:${runId}`, ({ events }) => {
      inbox.push(...events);
      told.set();
    });
    // What was told before the subscription is there is read once it is.
    subscription.then(
      () => told.set(),
      (error: Error) => this.logger.warn(`A run is not followed live: ${error.message}`),
    );
    try {
      let last = await this.placeOf(runId, after);
      let isBehind = true;
      let silenceMs = SILENCE_MS;
      while (!signal.aborted) {
        if (isBehind) {
          const { stored, hasMore } = await this.read(runId, last);
          for (const row of stored)
            for (const event of toldEvents(row)) {
              if (event.seq <= last) continue;
              yield { runId, ...event };
              last = event.seq;
              if (event.event in END_EVENTS) return;
            }
          if (hasMore) continue;
          // Nothing comes after the end, which the caller has had.
          if (stored.length === 0 && (await this.isOver(runId))) {
            if ((await this.read(runId, last)).stored.length === 0) return;
            continue;
          }
          if (stored.length > 0) silenceMs = SILENCE_MS;
          isBehind = false;
        }
        await told.wait(silenceMs, signal);
        const events = inbox;
        inbox = [];
        if (events.length === 0) {
          isBehind = true;
          silenceMs = Math.min(silenceMs * 2, MAX_SILENCE_MS);
          yield null;
          continue;
        }
        silenceMs = SILENCE_MS;
        for (const { at, ...event } of events) {
          if (event.seq <= last) continue;
          if (event.seq > last + 1) {
            isBehind = true;
            break;
          }
          yield { runId, ...event, at: new Date(at) };
          last = event.seq;
          if (event.event in END_EVENTS) return;
        }
      }
    } finally {
      subscription.then(
        (unsubscribe) => unsubscribe(),
        () => undefined,
      );
    }
  }

  /** A page behind the place. Of a compacted log, its first row may have begun before it. */
  private async read(runId: string, after: number): Promise<{ stored: StoredRunEvent[]; hasMore: boolean }> {
    const rows = await this.dataSource.query<(StoredRunEvent & { found: number })[]>(
      `SELECT seq, event, data, pieces, created_at AS at, found FROM (
         SELECT e.*, (count(*) OVER ())::int AS found, sum(pg_column_size(e.data)) OVER (ORDER BY e.seq) AS "upTo"
         FROM (SELECT * FROM dedicated_agent_events WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT ${PAGE}) e) page
       WHERE "upTo" - pg_column_size(data) < ${PAGE_BYTES} ORDER BY seq`,
      [runId, after],
    );
    const { found = 0 } = rows[0] ?? {};
    return { stored: rows, hasMore: found === PAGE || found > rows.length };
  }

  /** After the end, whoever names a higher number has had all. */
  private async placeOf(runId: string, after: number): Promise<number> {
    if (after === 0) return 0;
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM dedicated_agent_runs r WHERE r.id = $1 AND r.finished_at IS NULL
         AND NOT EXISTS (SELECT FROM dedicated_agent_events e WHERE e.run_id = r.id AND e.seq >= $2)`,
      [runId, after],
    );
    return rows.length > 0 ? 0 : after;
  }

  /** Also where it is gone. */
  private async isOver(runId: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT FROM dedicated_agent_runs WHERE id = $1 AND finished_at IS NULL',
      [runId],
    );
    return rows.length === 0;
  }
}
