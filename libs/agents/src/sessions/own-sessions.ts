import type { DataSource } from 'typeorm';

/** The user's session of this kind, by its number or else by the name of its conversation, and whether it is at work. */
export async function findOwnSession(
  dataSource: DataSource,
  userId: number,
  kind: string,
  { id, conversationId }: { id?: number | null | undefined; conversationId?: string | null | undefined },
): Promise<{ id: number; conversationId: string; isBusy: boolean } | null> {
  const [row] = await dataSource.query<{ id: number; conversationId: string; isBusy: boolean }[]>(
    `SELECT s.id, s.conversation_id AS "conversationId", EXISTS (SELECT 1 FROM chat_turns t WHERE t.session_id = s.id
       AND t.status IN ('queued', 'running', 'waiting_input')) AS "isBusy"
     FROM chat_sessions s WHERE s.user_id = $1 AND s.kind = $2
       AND (s.id = $3 OR ($3::int IS NULL AND s.conversation_id = $4))`,
    [userId, kind, id ?? null, conversationId ?? null],
  );
  return row ?? null;
}
