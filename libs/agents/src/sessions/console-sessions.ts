import { ForbiddenError, InvalidRequestError } from '@app/common';
import type { EntityManager } from 'typeorm';
import { titleOf } from '../turns/conversation-rows.js';

export interface ConsoleSession {
  id: number;
  conversationId: string;
}

/** A session of the console of a dedicated agent: by its number, or that of a conversation, which is made when it is not there. */
export type ConsolePlace = { sessionId: number } | { conversationId: string };

/**
 * @throws ForbiddenError `chat_session_forbidden` for one that is not the user's, be it there or not; InvalidRequestError
 * `invalid_chat_session_id` for one of another kind
 */
export async function openConsoleSession(
  tx: EntityManager,
  userId: number,
  place: ConsolePlace,
  question: string,
): Promise<ConsoleSession> {
  if ('sessionId' in place) {
    const [row] = await tx.query<(ConsoleSession & { kind: string })[]>(
      'SELECT id, conversation_id AS "conversationId", kind FROM chat_sessions WHERE id = $2 AND user_id = $1',
      [userId, place.sessionId],
    );
    if (!row) throw new ForbiddenError('This session is not yours.', { code: 'chat_session_forbidden' });
    const { kind, ...session } = row;
    if (kind === 'dedicated-agent') return session;
    throw new InvalidRequestError('This is no session of the dedicated agent.', { code: 'invalid_chat_session_id' });
  }
  const [row] = await tx.query<[ConsoleSession]>(
    `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'dedicated-agent', $2, $3)
     ON CONFLICT (user_id, kind, conversation_id) DO UPDATE SET kind = excluded.kind
     RETURNING id, conversation_id AS "conversationId"`,
    [userId, place.conversationId, titleOf(question)],
  );
  return row;
}

/** What the conversation of the user's session is called; null for any other. */
export async function findConversation(tx: EntityManager, userId: number, sessionId: number): Promise<string | null> {
  const [row] = await tx.query<{ conversationId: string }[]>(
    'SELECT conversation_id AS "conversationId" FROM chat_sessions WHERE id = $2 AND user_id = $1',
    [userId, sessionId],
  );
  return row?.conversationId ?? null;
}
