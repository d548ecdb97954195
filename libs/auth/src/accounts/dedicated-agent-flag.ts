import type { EntityManager } from 'typeorm';

/** Locks the account. Whether it is flagged for a dedicated agent; null for one that is gone, or not active. */
export async function lockDedicatedAgentFlag(tx: EntityManager, userId: number): Promise<boolean | null> {
  const [account] = await tx.query<{ dedicated_agent: boolean }[]>(
    'SELECT dedicated_agent FROM users WHERE id = $1 AND is_active FOR NO KEY UPDATE',
    [userId],
  );
  return account?.dedicated_agent ?? null;
}

/** From now on the account may have one; announce it after commit. */
export async function flagForDedicatedAgent(tx: EntityManager, userId: number): Promise<void> {
  await tx.query('UPDATE users SET dedicated_agent = true WHERE id = $1', [userId]);
}
