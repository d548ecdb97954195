import type { ModelMessage } from '@app/integrations';
import type { PastTurn } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withoutCitations } from '../agent/citations.js';

/** Turns of the conversation that a question may follow. */
const REMEMBERED_TURNS = 6;

/**
 * Completed turns of a conversation, and of stopped ones what the user has seen; those that only the client can read, or
 * that were asked for anew, are left out.
 */
const TURNS = `SELECT t.id, t.seq, t.question, t.answer FROM chat_turns t
  WHERE t.session_id = $1 AND NOT t.is_replaced
    AND (t.status = 'completed' OR t.status = 'interrupted' AND t.answer <> '')
    AND ($2::uuid IS NULL OR t.seq < (SELECT n.seq FROM chat_turns n WHERE n.id = $2))
    AND t.question <> '' AND t.question !~ '^enc:v1:' AND t.answer !~ '^enc:v1:'
  ORDER BY t.seq DESC LIMIT ${REMEMBERED_TURNS}`;

/** What was said in a conversation before a turn. */
@Injectable()
export class TurnHistory {
  constructor(private readonly dataSource: DataSource) {}

  /** Oldest first. @param beforeTurnId all of them when null */
  async messages(sessionId: number, beforeTurnId: string | null): Promise<ModelMessage[]> {
    const turns = await this.dataSource.query<{ question: string; answer: string }[]>(TURNS, [sessionId, beforeTurnId]);
    return turns.toReversed().flatMap(({ question, answer }): ModelMessage[] => [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ]);
  }

  /**
   * The same where each answer has numbered its sources from 1: without the numbers, of which a model that took one over
   * would name another document.
   */
  async messagesWithoutCitations(sessionId: number, beforeTurnId: string | null): Promise<ModelMessage[]> {
    const messages = await this.messages(sessionId, beforeTurnId);
    return messages.map((message) =>
      message.role === 'assistant' ? { ...message, content: withoutCitations(message.content) } : message,
    );
  }

  /** With the statements that answered them, oldest first. */
  async questionsToTables(sessionId: number, beforeTurnId: string | null): Promise<PastTurn[]> {
    return this.dataSource.query<PastTurn[]>(
      `SELECT l.question, l.answer,
         (SELECT h.sql FROM chat_thoughts h WHERE h.turn_id = l.id AND h.type = 'result' ORDER BY h.step DESC LIMIT 1) AS sql
       FROM (${TURNS}) AS l ORDER BY l.seq`,
      [sessionId, beforeTurnId],
    );
  }
}
