import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { cutMiddle } from '../agent/bounded-text.js';
import type { PastExchange } from '../agent/compaction.js';

const REMEMBERED_TURNS = 40;
const MAX_CHARACTERS = 30_000;

/** Earlier turns of a conversation, as an agent goes on from them. */
@Injectable()
export class AgentHistory {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Oldest first: completed ones, and of stopped ones what the user has seen; not those that were asked for anew, or that
   * the server cannot read.
   */
  async before(sessionId: number, turnId: string): Promise<PastExchange[]> {
    const turns = await this.dataSource.query<PastExchange[]>(
      `SELECT t.id AS "turnId", t.question, t.answer FROM chat_turns t
       WHERE t.session_id = $1 AND t.status IN ('completed', 'interrupted') AND NOT t.is_replaced
         AND t.seq < (SELECT n.seq FROM chat_turns n WHERE n.id = $2)
         AND t.question <> '' AND t.answer <> '' AND t.question !~ '^enc:v1:' AND t.answer !~ '^enc:v1:'
       ORDER BY t.seq DESC LIMIT ${REMEMBERED_TURNS}`,
      [sessionId, turnId],
    );
    return turns.toReversed().map(({ turnId: id, question, answer }) => ({
      turnId: id,
      question: cutMiddle(question, MAX_CHARACTERS),
      answer: cutMiddle(answer, MAX_CHARACTERS),
    }));
  }
}
