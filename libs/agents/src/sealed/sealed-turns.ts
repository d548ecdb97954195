import { ConflictError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const BATCH = 200;

/** Turns whose question and answer only the client can read: what the server had of them while they were under way goes. */
@Injectable()
export class SealedTurns {
  constructor(private readonly dataSource: DataSource) {}

  /** Erases what ended so many seconds ago: until then a client that was away may read it. @returns how many turns */
  async eraseEnded(keptSeconds: number): Promise<number> {
    const turns = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM chat_turns WHERE request ? 'sealed' AND finished_at <= now() - $1 * interval '1 second' LIMIT ${BATCH}`,
      [keptSeconds],
    );
    for (const { id } of turns) await this.erase(id);
    return turns.length;
  }

  /**
   * Keeps what the client made of question and answer with its key, in place of what was there.
   * @throws NotFoundError for a turn that is not the viewer's, or was never encrypted; ConflictError `turn_running`
   */
  async keep(
    userId: number,
    turnId: string,
    { question, answer }: { question: string; answer: string },
  ): Promise<void> {
    const [turn] = await this.dataSource.query<{ ended: boolean }[]>(
      `SELECT t.finished_at IS NOT NULL AS ended FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE t.id = $2 AND s.user_id = $1 AND t.request ?| '{sealed,erased}'`,
      [userId, turnId],
    );
    if (!turn) throw new NotFoundError('There is no such turn.', { code: 'turn_not_found' });
    if (!turn.ended) throw new ConflictError('The turn is still under way.', { code: 'turn_running' });
    await this.erase(turnId);
    await this.dataSource.query('UPDATE chat_turns SET question = $2, answer = $3 WHERE id = $1', [
      turnId,
      question,
      answer,
    ]);
  }

  private async erase(turnId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await tx.query('DELETE FROM chat_turn_events WHERE turn_id = $1', [turnId]);
      await tx.query(
        `UPDATE chat_turns SET request = '{"erased": true}', state = NULL, sources = '[]',
           question = CASE WHEN question ~ '^enc:v1:' THEN question ELSE '' END,
           answer = CASE WHEN answer ~ '^enc:v1:' THEN answer ELSE '' END
         WHERE id = $1 AND finished_at IS NOT NULL`,
        [turnId],
      );
    });
  }
}
