import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CHAT_KINDS } from './chat-kinds.js';
import type { TurnStatus } from '../turn-events/turn-event.js';

/** A turn as the channel of its conversation has to know it. */
export interface ConversationTurn {
  id: string;
  /** Its place among all turns. */
  place: number;
  sessionId: number;
  status: TurnStatus;
  /** False for one that waits, or was stopped before its turn came. */
  hasStarted: boolean;
  /** Turns of its session that come before it; 0 unless it is queued. */
  queuePosition: number;
}

const UNFINISHED = `t.status IN ('queued', 'running', 'waiting_input')`;

/** The turns of one conversation, of whatever kind of chat. Those of a release that had no log are left out. */
@Injectable()
export class ConversationTurns {
  constructor(private readonly dataSource: DataSource) {}

  async ownerOf(conversationId: string): Promise<number | null> {
    const [row] = await this.dataSource.query<{ userId: number }[]>(
      'SELECT user_id AS "userId" FROM chat_conversations WHERE conversation_id = $1',
      [conversationId],
    );
    return row?.userId ?? null;
  }

  /** The place before the first turn that is not finished, or else of the newest one; 0: there is none. */
  async presentPlace(conversationId: string): Promise<number> {
    const [{ place }] = await this.dataSource.query<[{ place: string }]>(
      `SELECT coalesce(min(t.seq) FILTER (WHERE ${UNFINISHED}) - 1, max(t.seq), 0) AS place ${FROM}`,
      [conversationId, CHAT_KINDS],
    );
    return Number(place);
  }

  /** In order, at most 500. */
  async after(conversationId: string, place: number): Promise<ConversationTurn[]> {
    const rows = await this.dataSource.query<(Omit<ConversationTurn, 'place'> & { place: string })[]>(
      `SELECT t.id, t.seq AS place, t.session_id AS "sessionId", t.status,
         t.started_at IS NOT NULL AS "hasStarted", CASE WHEN t.status = 'queued' THEN
         (SELECT count(*)::int FROM chat_turns o WHERE o.session_id = t.session_id AND o.handler <> '' AND o.seq < t.seq
          AND o.status IN ('queued', 'running', 'waiting_input')) ELSE 0 END AS "queuePosition"
       ${FROM} AND t.seq > $3 ORDER BY t.seq LIMIT 500`,
      [conversationId, CHAT_KINDS, place],
    );
    return rows.map((row) => ({ ...row, place: Number(row.place) }));
  }

  /** The place of a turn of this conversation; null for any other. */
  async placeOf(conversationId: string, turnId: string): Promise<number | null> {
    const [row] = await this.dataSource.query<{ place: string }[]>(`SELECT t.seq AS place ${FROM} AND t.id = $3`, [
      conversationId,
      CHAT_KINDS,
      turnId,
    ]);
    return row ? Number(row.place) : null;
  }

  /** The number of the last row of a turn's log; 0: it has none, or none any more. */
  async head(turnId: string): Promise<number> {
    const [{ head }] = await this.dataSource.query<[{ head: number }]>(
      'SELECT coalesce(max(seq), 0) AS head FROM chat_turn_events WHERE turn_id = $1',
      [turnId],
    );
    return head;
  }
}

/** By the unique index over user, kind and conversation: what other people called by the same name is not looked at. */
const FROM = `FROM chat_conversations c
  JOIN chat_sessions s ON s.user_id = c.user_id AND s.kind = ANY ($2) AND s.conversation_id = c.conversation_id
  JOIN chat_turns t ON t.session_id = s.id AND t.handler <> ''
  WHERE c.conversation_id = $1`;
