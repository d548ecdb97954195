import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { handleOf, resultId } from './result-handle.js';
import {
  type KeptResult,
  MAX_KEPT_CHARACTERS,
  MAX_TURN_CHARACTERS,
  type NewResult,
  type ResultStore,
} from './result-store.js';

const BATCH = 200;
/** UTF-8 takes up to three bytes for a UTF-16 code unit. */
const MAX_BYTES = MAX_KEPT_CHARACTERS * 3;

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

export interface ResultOwner {
  userId: number;
  turnId: string;
  sessionId: number;
  /** How long it is kept. */
  hours: number;
}

/** Long results of the calls of turns: packed, sealed, deleted with their turn and some time after they were made. */
@Injectable()
export class ResultRows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  of(owner: ResultOwner): ResultStore {
    return { keep: (result) => this.keep(owner, result), find: (handle) => this.find(owner, handle) };
  }

  /** @returns how many there were */
  async deleteExpired(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM agent_results WHERE id IN (SELECT id FROM agent_results WHERE expires_at <= now() LIMIT ${BATCH})`,
    );
    return count;
  }

  private async keep({ turnId, hours }: ResultOwner, { place, tool, text }: NewResult): Promise<string | null> {
    const id = resultId(turnId, place);
    const sealed = this.sealing.seal(await pack(text, { level: 3 }), placeOf(id));
    const rows = await this.dataSource.query<unknown[]>(
      `INSERT INTO agent_results (id, turn_id, handle, tool, characters, content_sealed, expires_at)
       SELECT $1, $2, $3, $4, $5::int, $6, now() + $7 * interval '1 hour'
       WHERE $5::int + (SELECT coalesce(sum(characters), 0) FROM agent_results WHERE turn_id = $2 AND id <> $1) <= $8
       ON CONFLICT (id) DO UPDATE SET tool = excluded.tool, characters = excluded.characters,
         content_sealed = excluded.content_sealed, expires_at = excluded.expires_at
       RETURNING 1`,
      [id, turnId, handleOf(id), tool, text.length, sealed, hours, MAX_TURN_CHARACTERS],
    );
    return rows.length > 0 ? handleOf(id) : null;
  }

  private async find({ userId, sessionId }: ResultOwner, handle: string): Promise<KeptResult | null> {
    const [row] = await this.dataSource.query<{ id: string; tool: string; sealed: Buffer }[]>(
      `SELECT r.id, r.tool, r.content_sealed AS sealed FROM agent_results r
       JOIN chat_turns t ON t.id = r.turn_id JOIN chat_sessions s ON s.id = t.session_id
       WHERE s.id = $1 AND s.user_id = $2 AND r.handle = $3 AND r.expires_at > now() ORDER BY r.expires_at DESC LIMIT 1`,
      [sessionId, userId, handle],
    );
    if (!row) return null;
    const packed = this.sealing.open(row.sealed, placeOf(row.id));
    return { tool: row.tool, text: (await unpack(packed, { maxOutputLength: MAX_BYTES })).toString() };
  }
}

const placeOf = (id: string) => ({ table: 'agent_results', column: 'content_sealed', row: id });
