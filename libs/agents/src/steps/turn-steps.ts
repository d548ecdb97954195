import type { DataSource, EntityManager } from 'typeorm';
import type { KeptTexts } from '../agent/kept-state.js';

/** What is kept of turns at work beside their states, oldest first. */
export function listSteps(db: DataSource | EntityManager, turnId: string): Promise<KeptTexts[]> {
  return db.query<KeptTexts[]>('SELECT seq, texts FROM chat_turn_steps WHERE turn_id = $1 ORDER BY seq', [turnId]);
}

/** In the transaction that holds the turn. A number that is there already is of a write whose answer was lost. */
export async function addStep(tx: EntityManager, turnId: string, { seq, texts }: KeptTexts): Promise<void> {
  await tx.query(
    `INSERT INTO chat_turn_steps (turn_id, seq, texts) VALUES ($1, $2, $3)
     ON CONFLICT (turn_id, seq) DO UPDATE SET texts = excluded.texts`,
    [turnId, seq, texts],
  );
}

export async function dropSteps(tx: EntityManager, turnId: string): Promise<void> {
  await tx.query('DELETE FROM chat_turn_steps WHERE turn_id = $1', [turnId]);
}
