import { retriedTransaction } from '@app/entities';
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

/** With all that was said in it. Nobody may be at work in it. */
export async function removeConversation(
  dataSource: DataSource,
  { userId, kind, conversationId }: { userId: number; kind: string; conversationId: string },
): Promise<void> {
  await retriedTransaction(dataSource, async (tx) => {
    await tx.query('DELETE FROM chat_sessions WHERE user_id = $1 AND kind = $2 AND conversation_id = $3', [
      userId,
      kind,
      conversationId,
    ]);
    await tx.query('DELETE FROM chat_conversations WHERE conversation_id = $1 AND user_id = $2', [
      conversationId,
      userId,
    ]);
  });
}
