import { chartOfTurn } from '@app/artifacts';
import { InvalidRequestError, NotFoundError, withoutForeignPictures } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SealedText } from '../sealed/sealed-text.js';
import type { TurnExtras, TurnQuestion, TurnStatus } from '../turn-events/turn-event.js';
import type { ChatKind } from '../turns/chat-kinds.js';
import { sessionNotFound } from './chat-sessions.js';
import type { ToldJob } from './told-turns.js';

export type Rating = 'up' | 'down';

export interface ChatMessage {
  /** Rises within and across conversations: a question, then its answer. */
  id: number;
  turnId: string;
  role: 'user' | 'assistant';
  /** Of an answer that is being written, as far as it got. */
  text: string;
  status: TurnStatus;
  sources: unknown[];
  extras: TurnExtras;
  /** What the turn waits to be told. */
  pending: TurnQuestion | null;
  rating: Rating | null;
  ratingComment: string;
  /** Of what an agent told by itself. */
  job: ToldJob | null;
  createdAt: Date;
}

type TurnRow = {
  id: string;
  handler: string;
  seq: string;
  status: TurnStatus;
  question: string;
  answer: string;
  sources: unknown[];
  result: TurnExtras | null;
  pending: TurnQuestion | null;
  mgid: string | null;
  rating: Rating | null;
  rating_comment: string;
  job: ToldJob | null;
  created_at: Date;
  finished_at: Date | null;
};

/** While a turn is at work, its row has nothing of what it tells: that stands in its log. */
const AT_WORK = `t.status IN ('running', 'waiting_input') AND t.handler <> ''`;
const COLUMNS = `t.id, t.handler, t.seq, t.question, t.result, t.rating, t.rating_comment, t.created_at, t.finished_at,
  CASE WHEN t.handler = 'agent-job' THEN t.request->'job' END AS job,
  CASE WHEN t.status = 'waiting_input' AND t.reply IS NOT NULL THEN 'running' ELSE t.status END AS status,
  CASE WHEN t.status = 'waiting_input' AND t.reply IS NULL THEN t.pending END AS pending,
  CASE WHEN ${AT_WORK} THEN coalesce((SELECT string_agg(e.data->>'text', '' ORDER BY e.seq) FROM chat_turn_events e
    WHERE e.turn_id = t.id AND e.type = 'delta'), '') ELSE t.answer END AS answer,
  CASE WHEN ${AT_WORK} THEN coalesce((SELECT e.data->'sources' FROM chat_turn_events e
    WHERE e.turn_id = t.id AND e.type = 'sources' LIMIT 1), t.sources) ELSE t.sources END AS sources,
  ${chartOfTurn('t.id')} AS mgid`;

/** What was said in a viewer's conversations. Every method is scoped to the viewer. */
@Injectable()
export class ChatMessages {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealed: SealedText,
  ) {}

  /**
   * The last `limit` messages (before the one with the id `before`), oldest first; without turns that others were asked
   * for instead of. @throws NotFoundError for a session that is not the viewer's
   */
  async list(
    userId: number,
    sessionId: number,
    { before, limit }: { before?: number | undefined; limit: number },
  ): Promise<ChatMessage[]> {
    const sessions = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM chat_sessions WHERE id = $2 AND user_id = $1',
      [userId, sessionId],
    );
    if (sessions.length === 0) throw sessionNotFound();
    const turns = await this.dataSource.query<TurnRow[]>(
      `SELECT ${COLUMNS} FROM chat_turns t
       WHERE t.session_id = $1 AND NOT t.is_replaced AND ($2::bigint IS NULL OR t.seq * 2 - 1 < $2)
       ORDER BY t.seq DESC LIMIT $3`,
      [sessionId, before ?? null, Math.floor(limit / 2) + 1],
    );
    const messages = turns.toReversed().flatMap((turn) => this.toMessages(turn));
    return messages.filter((message) => before === undefined || message.id < before).slice(-limit);
  }

  /** The last `limit` messages of all of the viewer's conversations of that kind, oldest first, each with its session. */
  async listOfKind(userId: number, kind: ChatKind, limit: number): Promise<(ChatMessage & { sessionId: number })[]> {
    const turns = await this.dataSource.query<(TurnRow & { session_id: number })[]>(
      `SELECT t.session_id, ${COLUMNS} FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE s.user_id = $1 AND s.kind = $2 AND NOT t.is_replaced ORDER BY t.seq DESC LIMIT $3`,
      [userId, kind, Math.floor(limit / 2) + 1],
    );
    const messages = turns
      .toReversed()
      .flatMap((turn) => this.toMessages(turn).map((message) => ({ ...message, sessionId: turn.session_id })));
    return messages.slice(-limit);
  }

  /**
   * Keeps what the viewer thinks of an answer; null takes it back.
   * @throws NotFoundError `message_not_found`; InvalidRequestError `not_an_answer` for a message of the viewer's own
   */
  async rate(
    userId: number,
    sessionId: number,
    messageId: number,
    { rating, comment }: { rating: Rating | null; comment: string },
  ): Promise<ChatMessage> {
    const [, rows] = await this.dataSource.query<[unknown, number]>(
      `UPDATE chat_turns t SET rating = $4, rating_comment = $5 FROM chat_sessions s
       WHERE s.id = $2 AND s.user_id = $1 AND t.session_id = s.id AND t.seq = $3 AND $6::boolean`,
      [userId, sessionId, Math.ceil(messageId / 2), rating, rating === null ? '' : comment, messageId % 2 === 0],
    );
    const [turn] = await this.dataSource.query<TurnRow[]>(
      `SELECT ${COLUMNS} FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE s.id = $2 AND s.user_id = $1 AND t.seq = $3`,
      [userId, sessionId, Math.ceil(messageId / 2)],
    );
    if (!turn) throw new NotFoundError('There is no such message.', { code: 'message_not_found' });
    if (rows === 0) throw new InvalidRequestError('Only answers can be rated.', { code: 'not_an_answer' });
    return this.toMessages(turn)[1];
  }

  /**
   * What is on its way in an encrypted conversation is opened for its owner. The text of a run is told as it is, since its
   * author may read it by a program; among messages it is Markdown like all others.
   */
  private toMessages(turn: TurnRow): [ChatMessage, ChatMessage] {
    const { text } = this.sealed.open(turn.id, turn.answer);
    return toMessages({ ...turn, answer: turn.handler === 'workflow' ? withoutForeignPictures(text) : text });
  }
}

function toMessages(turn: TurnRow): [ChatMessage, ChatMessage] {
  const answerId = Number(turn.seq) * 2;
  const none = { sources: [], extras: {}, pending: null, rating: null, ratingComment: '', job: turn.job };
  return [
    {
      ...none,
      id: answerId - 1,
      turnId: turn.id,
      role: 'user',
      text: turn.question,
      status: 'completed',
      createdAt: turn.created_at,
    },
    {
      id: answerId,
      turnId: turn.id,
      role: 'assistant',
      text: turn.answer,
      status: turn.status,
      sources: turn.sources,
      extras: { ...(turn.mgid ? { mgid: turn.mgid } : {}), ...turn.result },
      pending: turn.pending,
      rating: turn.rating,
      ratingComment: turn.rating_comment,
      job: turn.job,
      createdAt: turn.finished_at ?? turn.created_at,
    },
  ];
}
