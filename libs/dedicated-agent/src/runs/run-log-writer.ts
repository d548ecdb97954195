import { setTimeout as sleep } from 'node:timers/promises';
import { toJsonText } from '@app/common';
import { LiveBus } from '@app/live';
import { type Claim, ClaimLostError, WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { GatewayEvent } from '../gateway/agent-gateway.js';
import type { FollowedRun } from './follow-work.js';

/** Between the beginnings of two rounds: what comes in between shares a transaction. */
const ROUND_MS = 10;
const MOST_RUNS = 200;

interface Entry {
  claim: Claim<FollowedRun>;
  /** Numbered from the one behind this. */
  lastSeq: number;
  events: readonly GatewayEvent[];
  settle: () => void;
  fail: (error: unknown) => void;
}

/**
 * Writes what gateways tell of runs, where that changes nothing else of them: text, and what they do. One transaction for
 * all runs of this process that have something, each under its claim with its place at the gateway; then it is published.
 */
@Injectable()
export class RunLogWriter {
  private waiting: Entry[] = [];
  private isWriting = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly live: LiveBus,
  ) {}

  /** @throws ClaimLostError: nothing of it is written */
  append(claim: Claim<FollowedRun>, lastSeq: number, events: readonly GatewayEvent[]): Promise<void> {
    return new Promise((settle, fail) => {
      this.waiting.push({ claim, lastSeq, events, settle, fail });
      if (!this.isWriting) void this.write();
    });
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    try {
      // What the same turn of the event loop tells goes together.
      await new Promise(setImmediate);
      while (this.waiting.length > 0) {
        const startedAt = performance.now();
        await this.round(this.waiting.splice(0, MOST_RUNS));
        const rest = ROUND_MS - (performance.now() - startedAt);
        if (this.waiting.length > 0 && rest > 1) await sleep(rest);
      }
    } finally {
      this.isWriting = false;
    }
  }

  private async round(entries: readonly Entry[]): Promise<void> {
    let lost: Set<Claim<FollowedRun>>;
    try {
      lost = await this.persist(entries);
    } catch (error) {
      // Of several, only the one that Postgres took offence at fails. Without a database each would wait for it in turn.
      if (entries.length > 1 && isOfOne(error)) for (const entry of entries) await this.round([entry]);
      else for (const { fail } of entries) fail(error);
      return;
    }
    const told = entries.filter(({ claim }) => !lost.has(claim));
    this.live.publishAll(
      told.map(({ claim, lastSeq, events }) => ({
        topic: `agent-run:${claim.row.id}` as const,
        message: { events: toMessages(events, lastSeq) },
      })),
    );
    for (const { claim, settle, fail } of entries)
      if (lost.has(claim)) fail(new ClaimLostError(claim));
      else settle();
  }

  private persist(entries: readonly Entry[]): Promise<Set<Claim<FollowedRun>>> {
    return this.dataSource.transaction(async (tx) => {
      const cursors = entries.map(({ events }) => events.at(-1)!.cursor);
      const claims = entries.map(({ claim }) => claim);
      const lost = new Set(
        await this.claims.holdMany(claims, tx, {
          columns: [{ name: 'cursor', type: 'text', values: cursors }],
          set: `gateway_cursor = coalesce(mine.cursor, w.gateway_cursor), unreachable_since = NULL, updated_at = now(),
            status = CASE WHEN w.status IN ('started', 'queued') THEN 'running' ELSE w.status END`,
        }),
      );
      const rows = entries
        .filter(({ claim }) => !lost.has(claim))
        .flatMap(({ claim, lastSeq, events }) =>
          events.map((event, at) => ({ ...event, id: claim.row.id, seq: lastSeq + 1 + at })),
        );
      if (rows.length > 0)
        await tx.query(
          `INSERT INTO dedicated_agent_events (run_id, seq, event, data, created_at)
           SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[]::jsonb[], $5::timestamptz[])`,
          [
            rows.map(({ id }) => id),
            rows.map(({ seq }) => seq),
            rows.map(({ event }) => event),
            rows.map(({ data }) => toJsonText(data)),
            rows.map(({ at }) => at.toISOString()),
          ],
        );
      return lost;
    });
  }
}

/** As they are published, numbered behind `lastSeq`. */
export const toMessages = (events: readonly GatewayEvent[], lastSeq: number) =>
  events.map(({ event, data, at }, index) => ({ seq: lastSeq + 1 + index, event, data, at: at.toISOString() }));

/** A value that cannot be kept, a number that is taken, or rows that somebody else locked in another order. */
function isOfOne(error: unknown): boolean {
  return error instanceof RangeError || /^(?:22|23|40)/.test(String((error as { code?: unknown }).code));
}
