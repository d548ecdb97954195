import { NotFoundError, newId } from '@app/common';
import type { ModelMessage, TokenUsage } from '@app/integrations';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ChatKind } from './chat-kinds.js';
import { CHAT_SETTINGS, type ChatSettings } from './chat-settings.js';

/** Turns of the conversation that the model is shown. */
const REMEMBERED_TURNS = 6;
const TITLE_LENGTH = 80;

export interface Conversation {
  conversationId?: string | undefined;
  sessionId?: number | undefined;
}

export interface TurnOutcome {
  status: 'completed' | 'failed' | 'interrupted';
  /** As far as it got. */
  answer: string;
  usage: TokenUsage | null;
  errorCode?: string;
  /** Where they were not known when the turn began. */
  sources?: readonly unknown[];
}

/** Questions and their answers, kept per user and conversation (document 3, B7). */
@Injectable()
export class ChatTurns {
  constructor(
    @Inject(CHAT_SETTINGS) private readonly settings: ChatSettings,
    private readonly dataSource: DataSource,
  ) {}

  /** The viewer's session for this conversation, made when it is new. @throws NotFoundError for a session that is not theirs */
  async openSession(
    userId: number,
    kind: ChatKind,
    { conversationId, sessionId }: Conversation,
    question: string,
  ): Promise<number> {
    const [row] =
      sessionId === undefined
        ? await this.dataSource.query<{ id: number }[]>(
            `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, $4, $2, $3)
             ON CONFLICT (user_id, kind, conversation_id) DO UPDATE SET kind = excluded.kind RETURNING id`,
            [userId, conversationId ?? newId(), titleOf(question), kind],
          )
        : await this.dataSource.query<{ id: number }[]>(
            `SELECT id FROM chat_sessions WHERE id = $2 AND user_id = $1 AND kind = $4
               AND ($3::text IS NULL OR conversation_id = $3)`,
            [userId, sessionId, conversationId ?? null, kind],
          );
    if (!row) throw new NotFoundError('There is no such chat session.', { code: 'chat_session_not_found' });
    return row.id;
  }

  /** Of completed turns, oldest first; those that only the client can read are left out. */
  async history(userId: number, sessionId: number): Promise<ModelMessage[]> {
    const turns = await this.dataSource.query<{ question: string; answer: string }[]>(
      `SELECT t.question, t.answer FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE s.id = $2 AND s.user_id = $1 AND t.status = 'completed'
         AND t.question !~ '^enc:v1:' AND t.answer !~ '^enc:v1:' ORDER BY t.created_at DESC LIMIT $3`,
      [userId, sessionId, REMEMBERED_TURNS],
    );
    return turns.toReversed().flatMap(({ question, answer }): ModelMessage[] => [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ]);
  }

  /** Writes the turn down before the model is asked. */
  async begin(sessionId: number, question: string, sources: readonly unknown[], model: string): Promise<string> {
    const id = newId();
    // A process that died in the middle of an answer left its turn running.
    await this.dataSource.query(
      `UPDATE chat_turns SET status = 'interrupted', finished_at = now()
       WHERE session_id = $1 AND status = 'running' AND created_at < now() - $2 * interval '1 second'`,
      [sessionId, this.settings.modelTimeoutSeconds * 2],
    );
    await this.dataSource.query(
      `WITH session AS (UPDATE chat_sessions SET last_message_at = now() WHERE id = $2)
       INSERT INTO chat_turns (id, session_id, status, question, sources, model) VALUES ($1, $2, 'running', $3, $4, $5)`,
      [id, sessionId, question, JSON.stringify(sources), model],
    );
    return id;
  }

  /** Only a running turn can end, and only once. */
  async finish(turnId: string, { status, answer, usage, errorCode = '', sources }: TurnOutcome): Promise<void> {
    await this.dataSource.query(
      `UPDATE chat_turns SET status = $2, answer = $3, prompt_tokens = $4, completion_tokens = $5, error_code = $6,
         sources = coalesce($7, sources), finished_at = now() WHERE id = $1 AND status = 'running'`,
      [
        turnId,
        status,
        // A model may write what Postgres cannot keep.
        answer.replaceAll('\0', ''),
        usage?.promptTokens ?? null,
        usage?.completionTokens ?? null,
        errorCode,
        sources === undefined ? null : JSON.stringify(sources),
      ],
    );
  }
}

function titleOf(question: string): string {
  const line = question.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
}
