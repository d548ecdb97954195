import type { DataSource, EntityManager } from 'typeorm';

/** A turn that came to its end, with what its user said. */
export interface AnsweredTurn {
  readonly userId: number;
  readonly modelId: number | null;
  readonly sessionId: number;
  readonly conversationId: string;
  readonly question: string;
}

/** Null for a turn that did not come to its end, and for one that only the client can read. */
export async function findAnsweredTurn(db: DataSource, turnId: string): Promise<AnsweredTurn | null> {
  const [row] = await db.query<AnsweredTurn[]>(
    `SELECT s.user_id AS "userId", t.model_id AS "modelId", s.id AS "sessionId", s.conversation_id AS "conversationId", t.question FROM chat_turns t
     JOIN chat_sessions s ON s.id = t.session_id
     WHERE t.id = $1 AND t.status IN ('running', 'completed') AND t.handler <> 'secure' AND t.question !~ '^enc:v1:'`,
    [turnId],
  );
  return row ?? null;
}

/** In the transaction that keeps what the turn told. @returns false when that was done before. */
export async function isFirstHearing(tx: EntityManager, turnId: string): Promise<boolean> {
  const first = await tx.query<unknown[]>(
    'INSERT INTO agent_memory_turns (turn_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1',
    [turnId],
  );
  return first.length > 0;
}
