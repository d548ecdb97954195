import type { EntityManager } from 'typeorm';

/** Whoever else locks the account waits until the transaction ends. @returns whether there is such an account */
export async function lockAccount(tx: EntityManager, userId: number): Promise<boolean> {
  const accounts = await tx.query<unknown[]>('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  return accounts.length > 0;
}

/** The same for an account that is active. @returns its address; null when it is not active, or gone */
export async function lockActiveAccount(tx: EntityManager, userId: number): Promise<string | null> {
  const [account] = await tx.query<{ email: string }[]>(
    'SELECT email FROM users WHERE id = $1 AND is_active FOR NO KEY UPDATE',
    [userId],
  );
  return account?.email ?? null;
}
