import { ConflictError, newId, NotFoundError, type Page, type PageRequest } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Turns } from '../turns/turns.js';
import type { ChatKind } from '../turns/chat-kinds.js';

export interface ListedSession {
  id: number;
  kind: string;
  title: string;
  conversationId: string;
  pinned: boolean;
  messageCount: number;
  lastMessageAt: Date | null;
  createdAt: Date;
}

/** Turns that others were asked for instead of are no part of the conversation. */
const COLUMNS = `s.id, s.kind, s.title, s.conversation_id AS "conversationId", s.pinned,
  (SELECT count(*)::int * 2 FROM chat_turns t WHERE t.session_id = s.id AND NOT t.is_replaced) AS "messageCount",
  s.last_message_at AS "lastMessageAt", s.created_at AS "createdAt"`;

/** What a run of a dedicated agent was said in belongs to the run. */
const IS_LISTED = `s.kind <> 'dedicated-run'`;

/** By the trigram index over what was said, or by the user's sessions, whichever leads to fewer rows. */
const SAID = `s.id IN (SELECT t.session_id FROM chat_sessions o JOIN chat_turns t ON t.session_id = o.id
  WHERE o.user_id = $1 AND NOT t.is_replaced AND t.question !~ '^enc:v1:' AND (t.question ILIKE $3 OR t.answer ILIKE $3))`;

/** A viewer's conversations. Every method is scoped to the viewer. */
@Injectable()
export class ChatSessions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly turns: Turns,
  ) {}

  /** Pinned ones first, then by the last message. */
  async list(
    userId: number,
    filter: { kind?: ChatKind | undefined; search?: string | undefined },
    { page, pageSize }: PageRequest,
  ): Promise<Page<ListedSession>> {
    const wanted = filter.search?.trim() ?? '';
    const found = wanted === '' ? '' : `AND (s.title ILIKE $3 OR ${SAID})`;
    const condition = `s.user_id = $1 AND ${IS_LISTED} AND ($2::text IS NULL OR s.kind = $2) ${found}`;
    const values = [userId, filter.kind ?? null, ...(wanted === '' ? [] : [`%${wanted.replace(/[\\%_]/g, '\\$&')}%`])];
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM chat_sessions s WHERE ${condition}`,
      values,
    );
    const next = values.length + 1;
    const items = await this.dataSource.query<ListedSession[]>(
      `SELECT ${COLUMNS} FROM chat_sessions s WHERE ${condition}
       ORDER BY s.pinned DESC, coalesce(s.last_message_at, s.created_at) DESC, s.id DESC
       LIMIT $${next} OFFSET $${next + 1}`,
      [...values, pageSize, (page - 1) * pageSize],
    );
    return { count, items };
  }

  async create(userId: number, kind: ChatKind, title: string): Promise<ListedSession> {
    const [row] = await this.dataSource.query<[{ id: number }]>(
      'INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, $2, $3, $4) RETURNING id',
      [userId, kind, newId(), title],
    );
    return this.get(userId, row.id);
  }

  /** @throws NotFoundError for one that is not the viewer's */
  async get(userId: number, id: number): Promise<ListedSession> {
    const [row] = await this.dataSource.query<ListedSession[]>(
      `SELECT ${COLUMNS} FROM chat_sessions s WHERE s.id = $2 AND s.user_id = $1 AND ${IS_LISTED}`,
      [userId, id],
    );
    if (!row) throw sessionNotFound();
    return row;
  }

  /** @throws NotFoundError for one that is not the viewer's */
  async update(
    userId: number,
    id: number,
    { title, pinned }: { title?: string | undefined; pinned?: boolean | undefined },
  ): Promise<ListedSession> {
    await this.dataSource.query(
      `UPDATE chat_sessions s SET title = coalesce($3, title), pinned = coalesce($4, pinned)
       WHERE s.id = $2 AND s.user_id = $1 AND ${IS_LISTED}`,
      [userId, id, title ?? null, pinned ?? null],
    );
    return this.get(userId, id);
  }

  /** With all that was said in it; what is at work stops. @throws NotFoundError for one that is not the viewer's */
  async remove(userId: number, id: number): Promise<void> {
    await this.get(userId, id);
    // What waits goes first: the end of the turn at work would call the next one.
    const unfinished = await this.dataSource.query<{ id: string }[]>(
      `SELECT t.id FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE s.id = $2 AND s.user_id = $1 AND t.handler <> '' AND t.status IN ('queued', 'running', 'waiting_input')
       ORDER BY t.status <> 'queued', t.seq`,
      [userId, id],
    );
    for (const { id: turnId } of unfinished) await this.turns.stop(userId, { turnId }).catch(leaveEnded);
    // Whoever writes in several of its turns at this moment meets them in another order.
    const [, count] = await retriedTransaction(this.dataSource, (tx) =>
      tx.query<[unknown, number]>('DELETE FROM chat_sessions WHERE id = $2 AND user_id = $1', [userId, id]),
    );
    if (count === 0) throw sessionNotFound();
  }
}

/** It ended by itself. */
function leaveEnded(error: unknown): string {
  if (error instanceof ConflictError) return '';
  throw error;
}

export const sessionNotFound = () =>
  new NotFoundError('There is no such chat session.', { code: 'chat_session_not_found' });
