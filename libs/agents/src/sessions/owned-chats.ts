import {
  exportedObject,
  exportedRow,
  type ExportedFile,
  type OwnedData,
  placeOf,
  type ReadExported,
} from '@app/erasure';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { findSummary } from '../work-log/session-summary.js';
import { TurnWorkLog } from '../work-log/turn-work-log.js';
import { ARTIFACT_CHAT_COLUMNS, SESSION_COLUMNS, TURN_COLUMNS } from './chat-columns.js';

const BATCH = 50;
/** Turns, with all that was done for them, that an export reads at once. */
const PAGE = 20;

/** Conversations with their turns. */
@Injectable()
export class OwnedChats implements OwnedData {
  readonly name = 'chats';
  readonly tables = ['chat_sessions', 'chat_conversations'];
  readonly columns = [SESSION_COLUMNS, TURN_COLUMNS, ARTIFACT_CHAT_COLUMNS];

  constructor(
    private readonly dataSource: DataSource,
    private readonly workLog: TurnWorkLog,
    private readonly sealing: SealingService,
  ) {}

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM chat_sessions WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM chat_sessions WHERE id IN (SELECT id FROM chat_sessions WHERE user_id = $1 LIMIT $2)',
      [userId, BATCH],
    );
    // A conversation may be claimed without a session.
    if (count === 0) await tx.query('DELETE FROM chat_conversations WHERE user_id = $1', [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const sessions = await this.dataSource.query<{ id: number; row: object; artifact: object | null }[]>(
      `SELECT id, ${exportedRow(SESSION_COLUMNS, 's')} AS row,
         (SELECT ${exportedRow(ARTIFACT_CHAT_COLUMNS, 'a')} FROM artifact_chats a WHERE a.session_id = s.id) AS artifact
       FROM chat_sessions s WHERE user_id = $1 ORDER BY id`,
      [userId],
    );
    for (const { id, row, artifact } of sessions) {
      const summary = await findSummary(this.dataSource, this.sealing, id);
      const session = { ...row, ...(artifact && { artifact }), ...(summary && { summary: summary.text }) };
      yield { path: `chats/${id}.json`, content: exportedObject(session, { turns: this.turnsOf(id) }) };
    }
  }

  private turnsOf(sessionId: number): ReadExported {
    return async (after) => {
      const turns = await this.dataSource.query<{ id: string; cursor: string; row: object; work: Buffer | null }[]>(
        `SELECT t.id, concat_ws(' ', t.id, t.created_at) AS cursor, ${exportedRow(TURN_COLUMNS, 't')} AS row, w.work_sealed AS work
         FROM chat_turns t LEFT JOIN chat_turn_work w ON w.turn_id = t.id
         WHERE t.session_id = $1 AND ($2::text IS NULL OR (t.created_at, t.id) > ($3::timestamptz, $2::uuid))
         ORDER BY t.created_at, t.id LIMIT ${PAGE}`,
        [sessionId, ...placeOf(after)],
      );
      const exported: { cursor: string; row: object }[] = [];
      for (const { id, cursor, row, work: sealed } of turns) {
        const work = await this.workLog.open(id, sealed);
        exported.push({ cursor, row: { ...row, ...(work && { work }) } });
      }
      return exported;
    };
  }
}
