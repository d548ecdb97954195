import { ConflictError, newId, newTimeOrderedId, NotFoundError, toJsonText } from '@app/common';
import { executeTurnJob, payloadForTurn } from '@app/contracts';
import { LiveBus } from '@app/live';
import { ModelChoice } from '@app/models';
import { noteEnd } from '@app/observability';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SealedText } from '../sealed/sealed-text.js';
import type { StoredTurnEvent } from '../turn-events/turn-event.js';
import { TurnWorkLog } from '../work-log/turn-work-log.js';
import { TurnFeed } from './turn-feed.js';
import { IS_OF_AGENT } from '../work-log/agent-handlers.js';
import type { TurnHandlerName } from './turn-handler.js';
import { appendOne, keptAnswer, toEndData, publishedSources, publishedText } from './turn-rows.js';
import {
  claimConversation,
  findRepeated,
  type RepeatedTurn,
  renameSession,
  requireBound,
  replaceTurn,
  type SessionRow,
  titleOf,
  turnNotFound,
  waitsForReply,
} from './conversation-rows.js';
import { toTurnView, type TurnView, type TurnViewRow } from './turn-view.js';

/** Turns that may wait behind the one at work (docs/contract/chats.md#turns). */
const MAX_QUEUED = 20;
const STOPPED = toEndData({ status: 'interrupted', usage: null, error: null });

export interface NewTurn {
  /** A name that the turn has elsewhere, as a UUID; a new one when absent. */
  id?: string;
  userId: number;
  /** Kind of the session (docs/contract/chats.md#turns). */
  kind: string;
  /** A session, a conversation, both (they have to fit, or the session is empty), or neither: a conversation of its own. */
  conversation: { conversationId?: string | undefined; sessionId?: number | undefined };
  question: string;
  handler: TurnHandlerName;
  /** What the handler needs beside the question. */
  request: Record<string, unknown>;
  /** The client's name for the turn: the same name is the same turn. */
  clientTurnId?: string | undefined;
  /** The last turn of the conversation, which this one takes the place of. */
  replaces?: string | undefined;
  /** What the requests of all turns of the conversation have in common: another one is refused. */
  boundBy?: { name: string; value: string; conflict: ConflictError };
  /** Whether the conversation may be gone on with in this way, where that is more than one value: by throwing. */
  bind?(tx: EntityManager, sessionId: number): Promise<void>;
  /** Whether a turn that waits for a word of the user takes the question as its reply: any, or one whose request has these. */
  repliesToWaiting?: boolean | Record<string, unknown>;
}

export interface BegunTurn {
  turnId: string;
  sessionId: number;
  conversationId: string;
  /** The call was made before, or was a reply: the turn is not new. */
  isRepeat: boolean;
  isReply: boolean;
}

/** Turns as those see them who ask: begun, read, replied to and stopped. Every method is scoped to the user. */
@Injectable()
export class Turns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly live: LiveBus,
    private readonly feed: TurnFeed,
    private readonly sealed: SealedText,
    private readonly workLog: TurnWorkLog,
    private readonly models: ModelChoice,
  ) {}

  /**
   * Puts the turn into the queue of its conversation, which its first user claims
   * (docs/contract/chats.md#conversations).
   * @throws NotFoundError `chat_session_not_found`, `turn_not_found`; ForbiddenError `conversation_claimed`;
   * ConflictError `conversation_mismatch`, `queue_full`, `turn_not_last`, `client_turn_id_conflict`, `turn_waiting`
   */
  async begin(turn: NewTurn): Promise<BegunTurn> {
    const receipts: OutboxReceipt[] = [];
    const modelId = await this.modelOf(turn);
    const begun = await this.dataSource.transaction(async (tx) => {
      const session = await this.openSession(tx, turn);
      const found = { sessionId: session.id, conversationId: session.conversation_id };
      if (turn.boundBy) await requireBound(tx, session.id, turn.boundBy);
      await turn.bind?.(tx, session.id);
      const known = turn.clientTurnId === undefined ? null : await findRepeated(tx, session.id, turn.clientTurnId);
      if (known) {
        this.requireSameMessage(known, turn, session.conversation_id);
        return { ...found, turnId: known.id, isRepeat: true, isReply: false };
      }
      const replied = turn.repliesToWaiting ? await this.replyToWaiting(tx, session.id, turn) : null;
      const turnId = replied ?? (await this.insert(tx, session.id, turn, modelId));
      const cause = replied ? `${turnId}:reply:${newId()}` : turnId;
      receipts.push(await this.outbox.enqueue(executeTurnJob, payloadForTurn(session.id, cause), tx));
      return { ...found, turnId, isRepeat: false, isReply: replied !== null };
    });
    // The row is the truth: where the queue is away, the relay adds the job later.
    await this.outbox.publish(receipts);
    if (!begun.isRepeat) this.live.publish(`conversation:${begun.conversationId}`, { turnId: begun.turnId });
    return begun;
  }

  /** Makes sure that a turn can begin in the conversation. @throws ForbiddenError `conversation_claimed` */
  claim(userId: number, conversationId: string): Promise<void> {
    return claimConversation(this.dataSource.manager, conversationId, userId);
  }

  /** @throws NotFoundError `turn_not_found` for one that is not the user's */
  async get(userId: number, turnId: string): Promise<TurnView> {
    const [row] = await this.dataSource.query<TurnViewRow[]>(`${VIEW} WHERE t.id = $1 AND s.user_id = $2`, [
      turnId,
      userId,
    ]);
    if (!row) throw turnNotFound();
    return toTurnView({ ...row, answer: this.sealed.open(row.id, row.answer).text });
  }

  /** The turn that waits for a word of the user, behind which this one is queued; null when there is none. */
  async findAwaited(turnId: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ id: string }[]>(
      `SELECT o.id FROM chat_turns t JOIN chat_turns o ON o.session_id = t.session_id AND o.status = 'waiting_input'
         AND o.reply IS NULL AND o.handler <> ''
       WHERE t.id = $1 AND t.status = 'queued'`,
      [turnId],
    );
    return row?.id ?? null;
  }

  /** `TurnFeed.follow`; whether the turn is the caller's is asked with `get`. */
  follow(turnId: string, from: { after: number; signal: AbortSignal }): AsyncGenerator<StoredTurnEvent | null, void> {
    return this.feed.follow(turnId, from);
  }

  /** The turns of the conversation that have not ended, in the order of their work. */
  async listUnfinished(userId: number, conversationId: string): Promise<TurnView[]> {
    const rows = await this.dataSource.query<TurnViewRow[]>(
      `${VIEW} WHERE s.user_id = $2 AND s.conversation_id = $1 AND t.handler <> ''
         AND t.status IN ('queued', 'running', 'waiting_input') ORDER BY t.status = 'queued', t.seq`,
      [conversationId, userId],
    );
    return rows.map((row) => toTurnView({ ...row, answer: this.sealed.open(row.id, row.answer).text }));
  }

  /**
   * Ends the turn, or the one at work of the conversation; nobody has to be at work for that.
   * @returns its id. @throws ConflictError `no_turn_running`
   */
  async stop(
    userId: number,
    { conversationId, turnId }: { conversationId?: string | undefined; turnId?: string | undefined },
  ): Promise<string> {
    const stopped = await this.dataSource.transaction(async (tx) => {
      const [turn] = await tx.query<{ id: string; session_id: number; conversation_id: string }[]>(
        `SELECT t.id, t.session_id, s.conversation_id FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
         WHERE s.user_id = $1 AND ($2::text IS NULL OR s.conversation_id = $2) AND ($3::uuid IS NULL OR t.id = $3)
           AND t.handler <> '' AND t.status IN ('queued', 'running', 'waiting_input')
         ORDER BY t.status = 'queued', t.seq LIMIT 1 FOR NO KEY UPDATE OF t`,
        [userId, conversationId ?? null, turnId ?? null],
      );
      if (!turn) return null;
      const seq = await appendOne(tx, turn.id, 'end', STOPPED);
      await this.keepWork(tx, turn.id);
      // After the end nothing can be added to the log, so that this is all that was ever told. One update: a second one of
      // the same row would look at its session once more, which somebody who deletes it may hold.
      await tx.query(
        `UPDATE chat_turns t SET status = 'interrupted', finished_at = now(), state = NULL,
           pending = NULL, reply = NULL, lease_owner = NULL, lease_expires_at = NULL,
           answer = ${keptAnswer(publishedText('t.id'))}, sources = coalesce(${publishedSources('t.id')}, t.sources) WHERE t.id = $1`,
        [turn.id],
      );
      const next = payloadForTurn(turn.session_id, `${turn.id}:end`);
      const receipt = await this.outbox.enqueue(executeTurnJob, next, tx);
      return { turn, seq, receipt };
    });
    if (!stopped) throw new ConflictError('No turn is running.', { code: 'no_turn_running' });
    const { turn, seq, receipt } = stopped;
    const ids = { turnId: turn.id, sessionId: turn.session_id };
    noteEnd({ work: 'turn', outcome: 'stopped', ids, ownerId: userId, code: 'stopped' });
    this.live.publish('turns:stop', { turnId: turn.id });
    this.live.publish(`turn:${turn.id}`, { events: [{ seq, type: 'end', data: STOPPED }] });
    this.live.publish(`conversation:${turn.conversation_id}`, { turnId: turn.id });
    this.outbox.publishSoon([receipt]);
    return turn.id;
  }

  /**
   * Tells a waiting turn what it waits for; the first reply counts, until the question expires.
   * @throws NotFoundError `turn_not_found`; ConflictError `turn_not_waiting`
   */
  async reply(userId: number, turnId: string, requestId: string, reply: Record<string, unknown>): Promise<void> {
    const receipt = await this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<{ session_id: number }[]>(
        `SELECT t.session_id FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
         WHERE t.id = $1 AND s.user_id = $2 AND t.handler <> ''`,
        [turnId, userId],
      );
      if (!row) throw turnNotFound();
      const taken = await tx.query<unknown[]>(
        `WITH told AS (UPDATE chat_turns SET reply = $3::jsonb
           WHERE id = $1 AND ${AWAITS_REPLY} AND pending->>'request_id' = $2 RETURNING 1)
         SELECT 1 FROM told`,
        [turnId, requestId, toJsonText(reply)],
      );
      if (taken.length === 0)
        throw new ConflictError('The turn does not wait for this reply.', { code: 'turn_not_waiting' });
      return this.outbox.enqueue(executeTurnJob, payloadForTurn(row.session_id, `${turnId}:reply:${newId()}`), tx);
    });
    await this.outbox.publish([receipt]);
  }

  /**
   * The user's session, locked, so that what is asked of one conversation at once is asked in order. The conversation is
   * locked first, whichever of both the caller names: in two orders they would wait for each other.
   */
  private async openSession(tx: EntityManager, turn: NewTurn): Promise<SessionRow> {
    const { userId, kind, question } = turn;
    const { conversationId, sessionId } = turn.conversation;
    if (sessionId !== undefined) {
      const find = async (lock: string) => {
        const [row] = await tx.query<SessionRow[]>(
          `SELECT id, conversation_id FROM chat_sessions WHERE id = $2 AND user_id = $1 AND kind = $3 ${lock}`,
          [userId, sessionId, kind],
        );
        if (!row) throw new NotFoundError('There is no such chat session.', { code: 'chat_session_not_found' });
        return row;
      };
      const conversation = conversationId ?? (await find('')).conversation_id;
      await claimConversation(tx, conversation, userId);
      const row = await find('FOR NO KEY UPDATE');
      return row.conversation_id === conversation ? row : renameSession(tx, row, conversation);
    }
    const conversation = conversationId ?? newId();
    await claimConversation(tx, conversation, userId);
    const [row] = await tx.query<[SessionRow]>(
      `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, $4, $2, $3)
       ON CONFLICT (user_id, kind, conversation_id) DO UPDATE SET kind = excluded.kind RETURNING id, conversation_id`,
      [userId, conversation, titleOf(question), kind],
    );
    return row;
  }

  /** What a stopped turn did, for the next ones. */
  private async keepWork(tx: EntityManager, turnId: string): Promise<void> {
    const [turn] = await tx.query<{ told: string }[]>(
      `SELECT ${publishedText('$1')} AS told FROM chat_turns WHERE id = $1 AND ${IS_OF_AGENT} AND state IS NOT NULL`,
      [turnId],
    );
    if (turn) await this.workLog.keep(tx, turnId, { status: 'interrupted', errorCode: '', told: turn.told });
  }

  /** A name stands for one message: what another one would be answered with is not its answer. */
  private requireSameMessage(known: RepeatedTurn, turn: NewTurn, conversationId: string): void {
    const { sealed } = turn.request;
    if (known.isErased && typeof sealed === 'string') return;
    // Only its client can read it now, so that nobody here knows whether it is the same.
    if (known.message.startsWith('enc:v1:')) return;
    const [before, now] =
      typeof sealed === 'string' && known.sealed !== null
        ? [known.sealed, sealed].map((text) => questionOf(this.sealed.openRequest(conversationId, text)))
        : [known.message, turn.question];
    if (before === now) return;
    throw new ConflictError('Another message was sent under this client_turn_id.', {
      code: 'client_turn_id_conflict',
      extra: { turn_id: known.id },
    });
  }

  /** What an encrypted one names is sealed, and nothing is done beside it: null. */
  private async modelOf({ userId, request: { sealed, llmModelId } }: NewTurn): Promise<number | null> {
    if (typeof sealed === 'string') return null;
    if (typeof llmModelId === 'number') return llmModelId;
    return (await this.models.choose(userId)).descriptor.id;
  }

  /** @throws ConflictError `turn_waiting` where one waits that the question is no reply to */
  private async replyToWaiting(tx: EntityManager, sessionId: number, turn: NewTurn): Promise<string | null> {
    const [waiting] = await tx.query<{ id: string; fits: boolean }[]>(
      `SELECT id, request @> $2::jsonb AS fits FROM chat_turns
       WHERE session_id = $1 AND ${AWAITS_REPLY} AND handler <> '' FOR NO KEY UPDATE`,
      [sessionId, toJsonText(typeof turn.repliesToWaiting === 'object' ? turn.repliesToWaiting : {})],
    );
    if (!waiting) return null;
    if (!waiting.fits) throw waitsForReply(waiting.id);
    const reply = { message: turn.question, client_turn_id: turn.clientTurnId ?? null };
    await tx.query('UPDATE chat_turns SET reply = $2::jsonb WHERE id = $1', [waiting.id, toJsonText(reply)]);
    return waiting.id;
  }

  private async insert(tx: EntityManager, sessionId: number, turn: NewTurn, modelId: number | null): Promise<string> {
    const [{ count }] = await tx.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM chat_turns WHERE session_id = $1 AND status = 'queued' AND handler <> ''`,
      [sessionId],
    );
    if (count >= MAX_QUEUED)
      throw new ConflictError(`At most ${MAX_QUEUED} turns can wait in a conversation.`, { code: 'queue_full' });
    if (turn.replaces !== undefined) await replaceTurn(tx, sessionId, turn.replaces);
    const { id = newTimeOrderedId() } = turn;
    await tx.query(
      `WITH session AS (UPDATE chat_sessions SET last_message_at = now() WHERE id = $2)
       INSERT INTO chat_turns (id, session_id, status, question, model, handler, request, client_turn_id, replaces, model_id)
       VALUES ($1, $2, 'queued', $3, '', $4, $5::jsonb, $6, $7, $8)`,
      [
        id,
        sessionId,
        turn.question,
        turn.handler,
        toJsonText(turn.request),
        turn.clientTurnId ?? null,
        turn.replaces ?? null,
        modelId,
      ],
    );
    return id;
  }
}

/** A question that has expired may wait for a runner to notice, which is no time in which it can still be agreed to. */
const AWAITS_REPLY = `status = 'waiting_input' AND reply IS NULL
  AND coalesce((pending->>'expires_at')::timestamptz > now(), true)`;

function questionOf(request: unknown): unknown {
  return typeof request === 'object' && request !== null && 'question' in request ? request.question : null;
}

const VIEW = `SELECT t.id, t.session_id, s.conversation_id, s.kind, t.handler, t.status, t.question, t.result, t.pending,
    t.reply IS NOT NULL AS is_replied, t.model, t.prompt_tokens, t.completion_tokens, t.error_code, t.error_detail,
    t.replaces, t.created_at, t.started_at, t.finished_at,
    CASE WHEN t.status IN ('running', 'waiting_input') AND t.handler <> '' THEN ${publishedText('t.id')} ELSE t.answer END AS answer,
    CASE WHEN t.status IN ('running', 'waiting_input') AND t.handler <> ''
      THEN coalesce(${publishedSources('t.id')}, t.sources) ELSE t.sources END AS sources,
    CASE WHEN t.status = 'queued' THEN (SELECT count(*)::int FROM chat_turns o WHERE o.session_id = t.session_id
      AND o.handler <> '' AND (o.status IN ('running', 'waiting_input') OR o.status = 'queued' AND o.seq < t.seq)) END AS queue_position
  FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id`;
