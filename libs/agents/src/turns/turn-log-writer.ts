import { setTimeout as sleep } from 'node:timers/promises';
import { toJsonText } from '@app/common';
import { LiveBus } from '@app/live';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TurnLog, type LogRow } from './turn-log.js';

/** Between the beginnings of two rounds: what comes in between shares a statement. */
const ROUND_MS = 10;
const RETRY_MS = 200;
const MAX_ROWS = 1000;

/**
 * Writes the logs of all turns of this process, one statement for all that have something to tell, and publishes what
 * is written: nobody is ever shown what Postgres does not have.
 */
@Injectable()
export class TurnLogWriter {
  private readonly logger = new Logger(TurnLogWriter.name);
  private readonly dirty = new Set<TurnLog>();
  private isWriting = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
  ) {}

  /** @param from the last row that there is, and the length of the text that was told, in UTF-16 code units. */
  open(turnId: string, attempt: number, from: { seq: number; offset: number }, onLost: () => void): TurnLog {
    const onWork = (log: TurnLog) => {
      this.dirty.add(log);
      if (!this.isWriting) void this.write();
    };
    return new TurnLog(turnId, attempt, from.seq, from.offset, onWork, onLost);
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    try {
      // What the same turn of the event loop tells goes together.
      await new Promise(setImmediate);
      while (this.dirty.size > 0) {
        const startedAt = performance.now();
        await this.round();
        const rest = ROUND_MS - (performance.now() - startedAt);
        if (this.dirty.size > 0 && rest > 1) await sleep(rest);
      }
    } finally {
      this.isWriting = false;
    }
  }

  private async round(): Promise<void> {
    const logs = [...this.dirty].filter((log) => log.isDirty).slice(0, MAX_ROWS);
    this.dirty.clear();
    const rows = new Map(logs.map((log) => [log, log.take()]));
    if (rows.size === 0) return;
    const written = await this.persist(rows);
    const now = Date.now();
    const messages = [];
    for (const [log, { seq, type, data }] of rows) {
      if (log.isLost) continue;
      if (!written.has(log)) {
        log.lose();
        continue;
      }
      log.settle(now);
      messages.push({ topic: `turn:${log.turnId}` as const, message: { events: [{ seq, type, data }] } });
      if (log.isDirty) this.dirty.add(log);
    }
    this.live.publishAll(messages);
  }

  /** The logs whose row is written. Goes on trying while the database is away: leases end that. */
  private async persist(rows: Map<TurnLog, LogRow>): Promise<Set<TurnLog>> {
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        // After an error some may be written, and what was written before may be gone.
        if (isRepeated) await this.append([...rows.keys()].flatMap((log) => log.remembered()));
        const accepted = isRepeated ? new Set<string>() : await this.append([...rows.values()]);
        const written = new Set([...rows.keys()].filter((log) => accepted.has(log.turnId)));
        const refused = [...rows].filter(([log]) => !written.has(log));
        if (refused.length > 0) for (const log of await this.findOurs(refused)) written.add(log);
        return written;
      } catch (error) {
        this.logger.warn(`What was told of ${rows.size} turns is not written yet: ${String(error)}`);
        // Postgres took offence at a value: only the turn that has it is lost.
        if (isDataException(error)) return rows.size > 1 ? this.persistSingly(rows) : new Set();
        await sleep(RETRY_MS);
        for (const log of rows.keys()) if (log.isLost) rows.delete(log);
        if (rows.size === 0) return new Set();
      }
    }
  }

  private async persistSingly(rows: Map<TurnLog, LogRow>): Promise<Set<TurnLog>> {
    const written = new Set<TurnLog>();
    for (const [log, row] of rows) for (const each of await this.persist(new Map([[log, row]]))) written.add(each);
    return written;
  }

  private async append(rows: readonly LogRow[]): Promise<Set<string>> {
    const entries = toJsonText(rows.map(({ turnId: t, seq: s, type: k, data: d }) => ({ t, s, k, d })));
    const accepted = await this.dataSource.query<{ turn_id: string }[]>(
      'SELECT chat_append_events($1::jsonb) AS turn_id',
      [entries],
    );
    return new Set(accepted.map(({ turn_id: id }) => id));
  }

  /** Of rows whose number was taken: those that are ours already, while the turn is. */
  private async findOurs(refused: readonly (readonly [TurnLog, LogRow])[]): Promise<TurnLog[]> {
    const entries = toJsonText(
      refused.map(([{ attempt }, { turnId: t, seq: s, type: k, data: d }]) => ({ t, s, k, d, a: attempt })),
    );
    const ours = await this.dataSource.query<{ turn_id: string }[]>(
      `SELECT e.t AS turn_id FROM jsonb_to_recordset($1::jsonb) AS e(t uuid, s integer, k text, d jsonb, a integer)
       JOIN chat_turn_events w ON w.turn_id = e.t AND w.seq = e.s AND w.type = e.k AND w.data = e.d
       JOIN chat_turns o ON o.id = e.t AND o.attempt = e.a AND o.status = 'running'`,
      [entries],
    );
    const ids = new Set(ours.map(({ turn_id: id }) => id));
    return refused.filter(([log]) => ids.has(log.turnId)).map(([log]) => log);
  }
}

/** Class 22 of SQLSTATE. */
function isDataException(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('22');
}
