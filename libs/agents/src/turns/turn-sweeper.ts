import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const LOGS = 2000;

/** Clears away what is kept no longer. */
@Injectable()
export class TurnSweeper {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * What was told piece by piece of turns that ended long ago (question, answer and sources stay), and rows that a worker
   * wrote at the very moment in which their turn was deleted. Looks at each turn that has a log once, not at each row.
   * @returns how many logs went; there may be more when they are many
   */
  async forgetLogs(hours: number): Promise<number> {
    const rows = await this.dataSource.query<unknown[]>(
      `WITH RECURSIVE logged AS (
         (SELECT turn_id FROM chat_turn_events ORDER BY turn_id LIMIT 1)
         UNION ALL
         SELECT (SELECT e.turn_id FROM chat_turn_events e WHERE e.turn_id > l.turn_id ORDER BY e.turn_id LIMIT 1)
         FROM logged l WHERE l.turn_id IS NOT NULL),
       old AS (SELECT l.turn_id FROM logged l LEFT JOIN chat_turns t ON t.id = l.turn_id
         WHERE l.turn_id IS NOT NULL AND (t.id IS NULL OR t.finished_at < now() - $1 * interval '1 hour')
         LIMIT ${LOGS}),
       gone AS (DELETE FROM chat_turn_events e USING old o WHERE e.turn_id = o.turn_id)
       SELECT 1 FROM old`,
      [hours],
    );
    return rows.length;
  }
}
