import { toJsonText } from '@app/common';
import type { EntityManager } from 'typeorm';

/** What was said to an agent of another server: no handler of ours works on it, and nothing of it is replayed here. */
export interface ForeignTurn {
  id: string;
  sessionId: number;
  question: string;
  /** As the caller named it; '' for the agent's own. */
  model: string;
}

export interface ForeignEnd {
  status: 'completed' | 'failed' | 'interrupted';
  answer: string;
  usage: { promptTokens: number; completionTokens: number } | null;
  error: { code: string; detail: string } | null;
  extras: object | null;
}

/** Writes down what was asked, so that it stands among the messages of its session. */
export async function beginForeignTurn(tx: EntityManager, turn: ForeignTurn): Promise<void> {
  await tx.query(
    `WITH session AS (UPDATE chat_sessions SET last_message_at = now() WHERE id = $2)
     INSERT INTO chat_turns (id, session_id, status, question, model, handler, started_at)
     VALUES ($1, $2, 'running', $3, $4, '', now())`,
    [turn.id, turn.sessionId, turn.question, turn.model],
  );
}

/** Its answer; nothing where the session is gone, or the turn has ended. */
export async function endForeignTurn(tx: EntityManager, id: string, end: ForeignEnd): Promise<void> {
  const { status, answer, usage, error, extras } = end;
  await tx.query(
    `UPDATE chat_turns SET status = $2, answer = $3, prompt_tokens = $4, completion_tokens = $5, error_code = $6,
       error_detail = $7, result = $8::jsonb, finished_at = now() WHERE id = $1 AND handler = '' AND finished_at IS NULL`,
    [
      id,
      status,
      answer,
      usage?.promptTokens ?? null,
      usage?.completionTokens ?? null,
      error?.code ?? '',
      error?.detail ?? '',
      extras === null ? null : toJsonText(extras),
    ],
  );
}
