import { NotFoundError } from '@app/common';
import type { Thought } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface KeptThought extends Thought {
  /** From 1. */
  step: number;
  createdAt: Date;
}

/** The steps of turns, which are kept as they happen. */
@Injectable()
export class Thoughts {
  constructor(private readonly dataSource: DataSource) {}

  /** In order, those of a turn under way so far; that of an answer has the answer's text. @throws NotFoundError */
  async list(userId: number, turnId: string): Promise<KeptThought[]> {
    const [turn] = await this.dataSource.query<{ answer: string }[]>(
      `SELECT t.answer FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE t.id = $2 AND s.user_id = $1 AND s.kind IN ('database', 'spreadsheet')`,
      [userId, turnId],
    );
    if (!turn) throw new NotFoundError('There is no such turn.', { code: 'turn_not_found' });
    const thoughts = await this.dataSource.query<KeptThought[]>(
      `SELECT step, type, text, sql, row_count AS "rowCount", duration_ms AS "durationMs", created_at AS "createdAt"
       FROM chat_thoughts WHERE turn_id = $1 ORDER BY step`,
      [turnId],
    );
    return thoughts.map((thought) => (thought.type === 'answer' ? { ...thought, text: turn.answer } : thought));
  }
}
