import { ForbiddenError, newId, toJsonText } from '@app/common';
import type { EntityManager } from 'typeorm';
import { claimConversation, titleOf } from '../turns/conversation-rows.js';
import type { ConsoleSession } from './console-sessions.js';

/** Of a job whose end a turn tells; in wire names, as it stands in the row and goes out. */
export interface ToldJob {
  id: string;
  name: string;
  status: string;
  run_id: string | null;
}

/** What an agent says by itself: nobody asked at this moment, and nobody works on it. */
export interface ToldTurn {
  id: string;
  userId: number;
  conversationId: string;
  /** Of the conversation, where it begins with this. */
  title: string;
  question: string;
  answer: string;
  status: 'completed' | 'failed' | 'interrupted';
  error: { code: string; detail: string } | null;
  job: ToldJob;
  /** The turn in which it was worked out, whose sources and files it comes with. */
  fromTurnId: string | null;
}

/** Writes it into a conversation of the console, with which its owner can go on. */
export async function tellInConsole(tx: EntityManager, told: ToldTurn): Promise<ConsoleSession> {
  const { id, userId, question, answer, status, error, job, fromTurnId } = told;
  const conversationId = await conversationOf(tx, told);
  const [session] = await tx.query<[ConsoleSession]>(
    `INSERT INTO chat_sessions (user_id, kind, conversation_id, title, last_message_at) VALUES ($1, 'dedicated-agent', $2, $3, now())
     ON CONFLICT (user_id, kind, conversation_id) DO UPDATE SET last_message_at = now()
     RETURNING id, conversation_id AS "conversationId"`,
    [userId, conversationId, titleOf(told.title)],
  );
  await tx.query(
    `INSERT INTO chat_turns (id, session_id, status, question, answer, handler, request, error_code, error_detail, started_at,
       finished_at, model, sources, result)
     SELECT $1, $2, $3, $4, $5, 'agent-job', $6::jsonb, $7, $8, now(), now(), coalesce(f.model, ''), coalesce(f.sources, '[]'), f.result
     FROM (SELECT 1) one LEFT JOIN (SELECT t.model, t.sources, t.result FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE t.id = $9 AND s.user_id = $10) f ON true`,
    [
      id,
      session.id,
      status,
      question,
      answer,
      toJsonText({ job }),
      error?.code ?? '',
      error?.detail ?? '',
      fromTurnId,
      userId,
    ],
  );
  return session;
}

/** Whoever has taken the name meanwhile keeps nobody from being told. */
async function conversationOf(tx: EntityManager, { conversationId, userId }: ToldTurn): Promise<string> {
  try {
    await claimConversation(tx, conversationId, userId);
    return conversationId;
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    const another = newId();
    await claimConversation(tx, another, userId);
    return another;
  }
}
