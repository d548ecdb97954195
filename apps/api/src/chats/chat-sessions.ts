import { newId, NotFoundError, type Page, type PageRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ChatKind } from './chat-kinds.js';

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

export interface ChatMessage {
  /** Rises within and across conversations: a question, then its answer. */
  id: number;
  turnId: string;
  role: 'user' | 'assistant';
  text: string;
  status: string;
  sources: unknown[];
  /** The chart that the answer came with. */
  mgid: string | null;
  createdAt: Date;
}

type TurnRow = {
  id: string;
  seq: string;
  status: string;
  question: string;
  answer: string;
  sources: unknown[];
  mgid: string | null;
  created_at: Date;
  finished_at: Date | null;
};

const COLUMNS = `s.id, s.kind, s.title, s.conversation_id AS "conversationId", s.pinned,
  (SELECT count(*)::int * 2 FROM chat_turns t WHERE t.session_id = s.id) AS "messageCount",
  s.last_message_at AS "lastMessageAt", s.created_at AS "createdAt"`;

/** A viewer's conversations and what was said in them. Every method is scoped to the viewer. */
@Injectable()
export class ChatSessions {
  constructor(private readonly dataSource: DataSource) {}

  /** Pinned ones first, then by the last message. */
  async list(
    userId: number,
    filter: { kind?: ChatKind | undefined; search?: string | undefined },
    { page, pageSize }: PageRequest,
  ): Promise<Page<ListedSession>> {
    const pattern = filter.search ? `%${filter.search.replace(/[\\%_]/g, '\\$&')}%` : null;
    const condition = `s.user_id = $1 AND ($2::text IS NULL OR s.kind = $2) AND ($3::text IS NULL OR s.title ILIKE $3
      OR EXISTS (SELECT 1 FROM chat_turns t WHERE t.session_id = s.id AND (t.question ILIKE $3 OR t.answer ILIKE $3)))`;
    const values = [userId, filter.kind ?? null, pattern];
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM chat_sessions s WHERE ${condition}`,
      values,
    );
    const items = await this.dataSource.query<ListedSession[]>(
      `SELECT ${COLUMNS} FROM chat_sessions s WHERE ${condition}
       ORDER BY s.pinned DESC, coalesce(s.last_message_at, s.created_at) DESC, s.id DESC LIMIT $4 OFFSET $5`,
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
      `SELECT ${COLUMNS} FROM chat_sessions s WHERE s.id = $2 AND s.user_id = $1`,
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
      'UPDATE chat_sessions SET title = coalesce($3, title), pinned = coalesce($4, pinned) WHERE id = $2 AND user_id = $1',
      [userId, id, title ?? null, pinned ?? null],
    );
    return this.get(userId, id);
  }

  /** With all that was said in it. @throws NotFoundError for one that is not the viewer's */
  async remove(userId: number, id: number): Promise<void> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM chat_sessions WHERE id = $2 AND user_id = $1',
      [userId, id],
    );
    if (count === 0) throw sessionNotFound();
  }

  /** The last `limit` messages (before the one with the id `before`), oldest first. @throws NotFoundError */
  async messages(
    userId: number,
    id: number,
    { before, limit }: { before?: number | undefined; limit: number },
  ): Promise<ChatMessage[]> {
    await this.get(userId, id);
    const turns = await this.dataSource.query<TurnRow[]>(
      `SELECT t.id, t.seq, t.status, t.question, t.answer, t.sources, t.created_at, t.finished_at,
         (SELECT c.mgid FROM charts c WHERE c.turn_id = t.id ORDER BY c.created_at LIMIT 1) AS mgid FROM chat_turns t
       WHERE t.session_id = $1 AND ($2::bigint IS NULL OR t.seq * 2 - 1 < $2) ORDER BY t.seq DESC LIMIT $3`,
      [id, before ?? null, limit],
    );
    const messages = turns.toReversed().flatMap(toMessages);
    return messages.filter((message) => before === undefined || message.id < before).slice(-limit);
  }
}

function toMessages(turn: TurnRow): ChatMessage[] {
  const answerId = Number(turn.seq) * 2;
  const { id: turnId, status, sources } = turn;
  return [
    {
      id: answerId - 1,
      turnId,
      role: 'user',
      text: turn.question,
      status: 'completed',
      sources: [],
      mgid: null,
      createdAt: turn.created_at,
    },
    {
      id: answerId,
      turnId,
      role: 'assistant',
      text: turn.answer,
      status,
      sources,
      mgid: turn.mgid,
      createdAt: turn.finished_at ?? turn.created_at,
    },
  ];
}

const sessionNotFound = () => new NotFoundError('There is no such chat session.', { code: 'chat_session_not_found' });
