import { ConflictError, cutText, ForbiddenError, NotFoundError } from '@app/common';
import type { EntityManager } from 'typeorm';
import { forgetSummaryOf } from '../work-log/session-summary.js';

const TITLE_LENGTH = 80;

export interface SessionRow {
  id: number;
  conversation_id: string;
}

/**
 * The first user of a conversation has it (docs/contract/chats.md#conversations). @throws ForbiddenError
 * `conversation_claimed`
 */
export async function claimConversation(tx: EntityManager, conversationId: string, userId: number): Promise<void> {
  const [row] = await tx.query<[{ user_id: number }]>(
    `INSERT INTO chat_conversations AS c (conversation_id, user_id) VALUES ($1, $2)
     ON CONFLICT (conversation_id) DO UPDATE SET user_id = c.user_id RETURNING user_id`,
    [conversationId, userId],
  );
  if (row.user_id !== userId)
    throw new ForbiddenError('This conversation belongs to somebody else.', { code: 'conversation_claimed' });
}

/** A session that was created beforehand takes the conversation's name of its first turn. @throws ConflictError `conversation_mismatch` */
export async function renameSession(
  tx: EntityManager,
  { id }: SessionRow,
  conversationId: string,
): Promise<SessionRow> {
  const [, count] = await tx.query<[unknown, number]>(
    `UPDATE chat_sessions s SET conversation_id = $2
     WHERE s.id = $1 AND NOT EXISTS (SELECT 1 FROM chat_turns t WHERE t.session_id = s.id) AND NOT EXISTS (
       SELECT 1 FROM chat_sessions o WHERE o.user_id = s.user_id AND o.kind = s.kind AND o.conversation_id = $2)`,
    [id, conversationId],
  );
  if (count === 0)
    throw new ConflictError('The chat session is that of another conversation.', { code: 'conversation_mismatch' });
  return { id, conversation_id: conversationId };
}

/** A turn, or a reply within it, that the client has asked for before. */
export interface RepeatedTurn {
  id: string;
  /** What was asked or replied; empty where it is sealed. */
  message: string;
  /** Of a turn whose texts only the client can read. */
  sealed: string | null;
  /** Whether those texts are gone by now. */
  isErased: boolean;
}

/** The turn that the client has asked for under this name before, also where that was a reply to a waiting one. */
export async function findRepeated(
  tx: EntityManager,
  sessionId: number,
  clientTurnId: string,
): Promise<RepeatedTurn | null> {
  const [row] = await tx.query<RepeatedTurn[]>(
    `SELECT t.id, t.request->>'sealed' AS sealed, t.request ? 'erased' AS "isErased",
       CASE WHEN t.client_turn_id = $2 THEN t.question
         WHEN t.reply->>'client_turn_id' = $2 THEN coalesce(t.reply->>'message', '')
         ELSE coalesce(told.message, '') END AS message
     FROM chat_turns t LEFT JOIN LATERAL (
       SELECT true AS is_there, e.data->'reply'->>'message' AS message FROM chat_turn_events e
       WHERE e.turn_id = t.id AND e.type = 'reply' AND e.data->'reply'->>'client_turn_id' = $2 LIMIT 1) told ON true
     WHERE t.session_id = $1 AND (t.client_turn_id = $2 OR t.reply->>'client_turn_id' = $2 OR told.is_there)
     ORDER BY t.seq DESC LIMIT 1`,
    [sessionId, clientTurnId],
  );
  return row ?? null;
}

/** Takes the last turn out of the conversation. @throws NotFoundError, ConflictError `turn_not_last` */
export async function replaceTurn(tx: EntityManager, sessionId: number, turnId: string): Promise<void> {
  const [row] = await tx.query<{ is_last: boolean; is_over: boolean }[]>(
    `SELECT NOT EXISTS (SELECT 1 FROM chat_turns o WHERE o.session_id = $1 AND o.seq > t.seq AND NOT o.is_replaced) AS is_last,
       t.status IN ('completed', 'failed', 'interrupted') AND NOT t.is_replaced AS is_over
     FROM chat_turns t WHERE t.session_id = $1 AND t.id = $2`,
    [sessionId, turnId],
  );
  if (!row) throw turnNotFound();
  if (!row.is_last || !row.is_over)
    throw new ConflictError('Only the last turn of a conversation can be asked for again, once it is over.', {
      code: 'turn_not_last',
    });
  await tx.query('UPDATE chat_turns SET is_replaced = true WHERE id = $1', [turnId]);
  await forgetSummaryOf(tx, turnId);
}

/** Of a session, until it has a better one. */
export function titleOf(question: string): string {
  const line = question.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${cutText(line, TITLE_LENGTH - 1)}…` : line;
}

export const waitsForReply = (turnId: string) =>
  new ConflictError('The conversation waits for your reply to the agent. Answer it, or stop it, first.', {
    code: 'turn_waiting',
    extra: { turn_id: turnId },
  });

export const turnNotFound = () => new NotFoundError('There is no such turn.', { code: 'turn_not_found' });

/** Whether each turn of the session, which is locked, was asked with the same value. @throws the conflict */
export async function requireBound(
  tx: EntityManager,
  sessionId: number,
  { name, value, conflict }: { name: string; value: string; conflict: ConflictError },
): Promise<void> {
  const others = await tx.query<unknown[]>(
    'SELECT FROM chat_turns WHERE session_id = $1 AND request ->> $2 IS DISTINCT FROM $3::text LIMIT 1',
    [sessionId, name, value],
  );
  if (others.length > 0) throw conflict;
}
