import { ConflictError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const BATCH = 200;

/** As the client encrypted them (docs/contract/accounts.md#keys-of-clients). */
export interface EncryptedTurn {
  question: string;
  answer: string;
  /** Of the session; null leaves it as it is. */
  title: string | null;
}

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
    for (const { id } of turns) await this.dataSource.transaction((tx) => erase(tx, id));
    return turns.length;
  }

  /**
   * Keeps what the client made of question and answer with its key, in place of what was there.
   * @throws NotFoundError for a turn that is not the viewer's, or was never encrypted; ConflictError `turn_running`
   */
  async keep(userId: number, turnId: string, { question, answer, title }: EncryptedTurn): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const [turn] = await tx.query<{ session_id: number; has_ended: boolean }[]>(
        `SELECT t.session_id, t.finished_at IS NOT NULL AS has_ended FROM chat_turns t
         JOIN chat_sessions s ON s.id = t.session_id
         WHERE t.id = $2 AND s.user_id = $1 AND t.request ?| '{sealed,erased}' FOR NO KEY UPDATE OF t`,
        [userId, turnId],
      );
      if (!turn) throw new NotFoundError('There is no such turn.', { code: 'turn_not_found' });
      if (!turn.has_ended) throw new ConflictError('The turn is still under way.', { code: 'turn_running' });
      await erase(tx, turnId);
      await tx.query('UPDATE chat_turns SET question = $2, answer = $3 WHERE id = $1', [turnId, question, answer]);
      if (title !== null) await tx.query('UPDATE chat_sessions SET title = $2 WHERE id = $1', [turn.session_id, title]);
    });
  }
}

async function erase(tx: EntityManager, turnId: string): Promise<void> {
  await tx.query(
    `UPDATE chat_turns SET request = '{"erased": true}', state = NULL, sources = '[]'
     WHERE id = $1 AND request ? 'sealed' AND finished_at IS NOT NULL`,
    [turnId],
  );
  await tx.query('DELETE FROM chat_turn_events WHERE turn_id = $1', [turnId]);
  await tx.query('DELETE FROM chat_trace_entries WHERE turn_id = $1', [turnId]);
}
