import type { DataSource } from 'typeorm';
import type { TurnHandlerName } from './turn-handler.js';

/** A turn that its asker may have asked anew. */
export interface AskedBefore {
  question: string;
  /** Empty for turns of a release that had none. */
  handler: TurnHandlerName | '';
  request: Record<string, unknown>;
  session_id: number;
  conversation_id: string;
  kind: string;
}

/** The asker's own turn; null for any other. */
export async function findOwnTurn(dataSource: DataSource, userId: number, turnId: string): Promise<AskedBefore | null> {
  const [row] = await dataSource.query<AskedBefore[]>(
    `SELECT t.question, t.handler, t.request, t.session_id, s.conversation_id, s.kind
     FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE t.id = $1 AND s.user_id = $2`,
    [turnId, userId],
  );
  return row ?? null;
}

/** Which run the user's turn tells of; null for a turn that is not the user's, or tells of none. */
export async function findTurnOfRun(
  dataSource: DataSource,
  userId: number,
  turnId: string,
): Promise<{ sessionId: number; runVersion: number } | null> {
  const [turn] = await dataSource.query<{ sessionId: number; runVersion: number }[]>(
    `SELECT t.session_id AS "sessionId", (t.request->>'runVersion')::int AS "runVersion"
     FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
     WHERE t.id = $2 AND s.user_id = $1 AND t.handler = 'workflow'`,
    [userId, turnId],
  );
  return turn ?? null;
}
