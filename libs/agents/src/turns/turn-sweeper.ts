import { sessionUserIsActive } from '@app/access';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TurnNotifier } from './turn-notifier.js';

const BATCH = 500;
const LOGS = 2000;
/** A job that nobody took for so long may be lost. */
const UNANSWERED_SECONDS = 3;

/** Brings back what a crash or a lost message left behind, and clears away what is kept no longer. */
@Injectable()
export class TurnSweeper {
  constructor(
    private readonly dataSource: DataSource,
    private readonly notifier: TurnNotifier,
  ) {}

  /** Asks for turns whose worker was lost, that were replied to, or whose time has come. @returns how many */
  async notifyOfForgotten(): Promise<number> {
    const rows = await this.dataSource.query<{ session_id: number; id: string; attempt: number }[]>(
      `SELECT t.session_id, t.id, t.attempt FROM chat_turns t
       WHERE t.status IN ('queued', 'running', 'waiting_input') AND t.handler <> '' AND CASE t.status
         WHEN 'queued' THEN t.created_at < now() - $1 * interval '1 second' AND NOT EXISTS (
           SELECT 1 FROM chat_turns o WHERE o.session_id = t.session_id AND o.handler <> ''
             AND (o.status IN ('running', 'waiting_input') OR o.status = 'queued' AND o.seq < t.seq))
         WHEN 'running' THEN t.lease_expires_at <= now()
         ELSE t.reply IS NOT NULL OR t.wake_at <= now() END AND ${sessionUserIsActive('t.session_id')}
       ORDER BY t.created_at LIMIT ${BATCH}`,
      [UNANSWERED_SECONDS],
    );
    await this.notifier.notify(
      rows.map(({ session_id: sessionId, id, attempt }) => ({ sessionId, bell: `${id}:${attempt}` })),
    );
    return rows.length;
  }

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
