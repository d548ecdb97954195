import { sessionUserIsActive } from '@app/access';
import { toJsonText } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { TurnEndData, TurnQuestion } from '../turn-events/turn-event.js';
import { TurnLostError, type ClaimedTurn } from './turn-handler.js';
import { APPEND_ONE, keptAnswer, publishedSources, publishedText, type Claim, type TurnEnd } from './turn-rows.js';

const UNIQUE_VIOLATION = '23505';

interface ClaimRow {
  id: string;
  attempt: number;
  losses: number;
  was: string;
  session_id: number;
  conversation_id: string;
  user_id: number;
  kind: string;
  handler: string;
  question: string;
  request: Record<string, unknown>;
  state: Record<string, unknown> | null;
  deadline_at: Date;
  pending: TurnQuestion | null;
  reply: Record<string, unknown> | null;
  last_type: string | null;
}

/** The worker's side of turns: claims, leases and ends. Every write counts only while the claim holds (the fence). */
@Injectable()
export class TurnClaims {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The next turn of the session: one whose worker was lost, one that was replied to, or the first in the queue when
   * none is at work. Null: there is none, or another worker was quicker.
   * @param mayBeSuspect false: not one whose worker was lost
   */
  async claim(
    sessionId: number,
    worker: string,
    seconds: { lease: number; timeout: number },
    mayBeSuspect = true,
  ): Promise<Claim | null> {
    try {
      return await this.dataSource.transaction((tx) => this.claimIn(tx, sessionId, worker, seconds, mayBeSuspect));
    } catch (error) {
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return null;
      throw error;
    }
  }

  private async claimIn(
    tx: EntityManager,
    sessionId: number,
    worker: string,
    seconds: { lease: number; timeout: number },
    mayBeSuspect: boolean,
  ): Promise<Claim | null> {
    const [row] = await tx.query<ClaimRow[]>(
      `WITH next AS (
         SELECT t.id, t.status FROM chat_turns t WHERE t.session_id = $1 AND t.handler <> ''
           AND ${sessionUserIsActive('$1')} AND CASE t.status
           WHEN 'queued' THEN NOT EXISTS (SELECT 1 FROM chat_turns o WHERE o.session_id = $1 AND o.handler <> ''
             AND o.status IN ('running', 'waiting_input'))
           WHEN 'running' THEN t.lease_expires_at <= now() AND ($5::boolean OR t.lease_owner IS NULL)
           WHEN 'waiting_input' THEN t.reply IS NOT NULL OR t.wake_at <= now()
           ELSE false END
         ORDER BY t.status = 'queued', t.seq LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED),
       claimed AS (
         UPDATE chat_turns t SET status = 'running', attempt = t.attempt + 1, lease_owner = $2, wake_at = NULL,
           lease_expires_at = now() + $3 * interval '1 second', started_at = coalesce(t.started_at, now()),
           deadline_at = CASE next.status WHEN 'running' THEN t.deadline_at ELSE now() + $4 * interval '1 second' END,
           losses = CASE WHEN next.status = 'running' AND t.lease_owner IS NOT NULL THEN t.losses + 1 ELSE 0 END
         FROM next WHERE t.id = next.id RETURNING t.*, next.status AS was)
       SELECT c.id, c.attempt, c.losses, c.was, c.session_id, s.conversation_id, s.user_id, s.kind, c.handler, c.question, c.request,
         c.state, c.deadline_at, c.pending, c.reply,
         (SELECT e.type FROM chat_turn_events e WHERE e.turn_id = c.id AND e.type IN ('question', 'reply')
          ORDER BY e.seq DESC LIMIT 1) AS last_type
       FROM claimed c JOIN chat_sessions s ON s.id = c.session_id`,
      [sessionId, worker, seconds.lease, seconds.timeout, mayBeSuspect],
    );
    if (!row) return null;
    // A worker that was only thought lost may write at this moment; once this row stands, it no longer can.
    if (row.last_type === 'question' && row.pending)
      await appendOne(tx, row.id, 'reply', { request_id: row.pending.request_id, reply: row.reply });
    const lastSeq = await appendOne(tx, row.id, 'started', { attempt: row.attempt });
    const published = row.attempt > 1 ? await readPublished(tx, row.id) : { sources: null, text: '' };
    return {
      turn: toTurn(row),
      lastSeq,
      published,
      resume: row.pending && { question: row.pending, reply: row.reply },
    };
  }

  /** Holds on to the turns. @returns the ids of those that are still this worker's. */
  async extend(turns: readonly { id: string; attempt: number }[], leaseSeconds: number): Promise<Set<string>> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `WITH held AS (
         UPDATE chat_turns t SET lease_expires_at = now() + $3 * interval '1 second'
         FROM unnest($1::uuid[], $2::int[]) AS mine(id, attempt)
         WHERE t.id = mine.id AND t.attempt = mine.attempt AND t.status = 'running'
           AND ${sessionUserIsActive('t.session_id')} RETURNING t.id)
       SELECT id FROM held`,
      [turns.map(({ id }) => id), turns.map(({ attempt }) => attempt), leaseSeconds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** What was replied, and waited for, is in the state from here on. @throws TurnLostError */
  async saveState({ id, attempt }: ClaimedTurn, state: Record<string, unknown>): Promise<void> {
    const rows = await this.dataSource.query<unknown[]>(
      `WITH held AS (UPDATE chat_turns SET state = $3::jsonb, pending = NULL, reply = NULL
         WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING 1) SELECT 1 FROM held`,
      [id, attempt, toJsonText(state)],
    );
    if (rows.length === 0) throw new TurnLostError(id);
  }

  /** Leaves the turn to whoever brings a reply. @returns the number of the question in the log. @throws TurnLostError */
  suspend({ id, attempt }: ClaimedTurn, question: TurnQuestion): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<unknown[]>(
        `WITH held AS (UPDATE chat_turns SET status = 'waiting_input', pending = $3::jsonb, reply = NULL, wake_at = $4,
           lease_owner = NULL, lease_expires_at = NULL, deadline_at = NULL
         WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING 1) SELECT 1 FROM held`,
        [id, attempt, toJsonText(question), question.expires_at],
      );
      if (rows.length === 0) throw new TurnLostError(id);
      return appendOne(tx, id, 'question', question);
    });
  }

  /** Only a running turn can end, and only once. @returns the number of the `end`. @throws TurnLostError */
  finish({ id, attempt }: ClaimedTurn, end: TurnEnd): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<unknown[]>(
        `WITH held AS (UPDATE chat_turns SET status = $3, answer = ${keptAnswer('$4')}, sources = $5::jsonb, prompt_tokens = $6,
           completion_tokens = $7, model = coalesce(nullif($8, ''), model), result = $9::jsonb, error_code = $10, error_detail = $11,
           finished_at = now(), lease_owner = NULL, lease_expires_at = NULL, state = NULL, pending = NULL, reply = NULL
         WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING 1) SELECT 1 FROM held`,
        [
          id,
          attempt,
          end.status,
          end.answer,
          toJsonText(end.sources),
          end.usage?.promptTokens ?? null,
          end.usage?.completionTokens ?? null,
          end.model,
          end.extras && toJsonText(end.extras),
          end.error?.code ?? '',
          end.error?.detail ?? '',
        ],
      );
      if (rows.length === 0) throw new TurnLostError(id);
      return appendOne(tx, id, 'end', toEndData(end));
    });
  }

  /** Gives turns back at once, so that another worker need not wait for the leases. @returns their sessions. */
  async release(worker: string): Promise<{ sessionId: number; turnId: string; attempt: number }[]> {
    return this.dataSource.query(
      `WITH given AS (UPDATE chat_turns SET lease_owner = NULL, lease_expires_at = now()
         WHERE lease_owner = $1 AND status = 'running' RETURNING session_id, id, attempt)
       SELECT session_id AS "sessionId", id AS "turnId", attempt FROM given`,
      [worker],
    );
  }
}

/** Once the claim's own row stands: until then somebody else might have told one more. */
async function readPublished(tx: EntityManager, turnId: string): Promise<Claim['published']> {
  const [published] = await tx.query<[Claim['published']]>(
    `SELECT ${publishedSources('$1')} AS sources, ${publishedText('$1')} AS text`,
    [turnId],
  );
  return published;
}

/** Waits for whoever writes at the same moment, and writes after that. @returns the number of the row. */
export async function appendOne(tx: EntityManager, turnId: string, type: string, data: unknown): Promise<number> {
  for (;;) {
    const [row] = await tx.query<{ seq: number }[]>(APPEND_ONE, [turnId, type, toJsonText(data)]);
    if (row) return row.seq;
  }
}

export function toEndData({ status, usage, error }: Pick<TurnEnd, 'status' | 'usage' | 'error'>): TurnEndData {
  const counted = usage && { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens };
  return { status, usage: counted, error };
}

function toTurn(row: ClaimRow): ClaimedTurn {
  return {
    id: row.id,
    attempt: row.attempt,
    losses: row.losses,
    sessionId: row.session_id,
    conversationId: row.conversation_id,
    userId: row.user_id,
    kind: row.kind,
    handler: row.handler,
    question: row.question,
    request: row.request,
    state: row.state,
    deadlineAt: row.deadline_at,
  };
}
