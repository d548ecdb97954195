import type { EntityManager } from 'typeorm';

/** Where a person is written to; `phone` in digits. Null when the account is gone. */
export async function findContact(
  tx: EntityManager,
  userId: number,
): Promise<{ email: string; phone: string | null } | null> {
  const [contact] = await tx.query<{ email: string; phone: string | null }[]>(
    'SELECT email, phone FROM users WHERE id = $1',
    [userId],
  );
  return contact ?? null;
}
