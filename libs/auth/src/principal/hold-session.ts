import { UnauthenticatedError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { Principal } from './principal.js';

/**
 * The viewer's session at the moment of writing what outlives it, such as a key: locks the account and the session until the
 * transaction ends. Whoever ends the session or deactivates the account waits for that, or has come before.
 * @throws UnauthenticatedError when it has ended since the request began
 */
export async function holdSession(tx: EntityManager, { userId, sessionId }: Principal): Promise<void> {
  await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  const live = await tx.query<unknown[]>(
    `SELECT FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.id = $2 AND s.user_id = $1 AND s.revoked_at IS NULL AND s.absolute_expires_at > now() AND u.is_active
     FOR SHARE OF s`,
    [userId, sessionId],
  );
  if (live.length === 0) throw new UnauthenticatedError('The session has ended.');
}

/** Whether a session goes on: for what was begun in it and has a life of its own. */
export async function isSessionLive(dataSource: DataSource, userId: number, sessionId: string): Promise<boolean> {
  const live = await dataSource.query<unknown[]>(
    `SELECT FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.id = $2 AND s.user_id = $1 AND s.revoked_at IS NULL AND s.absolute_expires_at > now() AND u.is_active`,
    [userId, sessionId],
  );
  return live.length > 0;
}
