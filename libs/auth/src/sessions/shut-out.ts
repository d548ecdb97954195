import type { DataSource } from 'typeorm';

/** Whose call it is. Work that outlives a session has none. */
export interface SignedInCaller {
  userId: number;
  sessionId: string | null;
}

/** Of callers who were let in: those who would not be any more, and whether the account or only the session ended. */
export async function findShutOut<C extends SignedInCaller>(
  dataSource: DataSource,
  callers: readonly C[],
): Promise<{ caller: C; reason: 'account' | 'session' }[]> {
  const rows = await dataSource.query<{ position: number; is_active: boolean }[]>(
    `SELECT m.position::int, u.id IS NOT NULL AS is_active
     FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS m(session_id, user_id, position)
     LEFT JOIN sessions s ON s.id = m.session_id AND s.revoked_at IS NULL AND s.absolute_expires_at > now()
     LEFT JOIN users u ON u.id = m.user_id AND u.is_active
     WHERE u.id IS NULL OR (m.session_id IS NOT NULL AND s.id IS NULL)`,
    [callers.map(({ sessionId }) => sessionId), callers.map(({ userId }) => userId)],
  );
  return rows.map(({ position, is_active }) => ({
    caller: callers[position - 1]!,
    reason: is_active ? 'session' : 'account',
  }));
}
