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

export interface MailedPerson {
  username: string;
  firstName: string;
  email: string;
  language: 'en' | 'ar';
}

/** Whom a mail is written to, and in which language; null when the account is gone, or has no address. */
export async function findMailedPerson(db: Pick<EntityManager, 'query'>, userId: number): Promise<MailedPerson | null> {
  const [person] = await db.query<{ username: string; first_name: string; email: string; language: 'en' | 'ar' }[]>(
    `SELECT username, first_name, email, language FROM users WHERE id = $1 AND email <> ''`,
    [userId],
  );
  if (!person) return null;
  const { first_name: firstName, ...rest } = person;
  return { ...rest, firstName };
}
