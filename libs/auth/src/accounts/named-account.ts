import type { DataSource } from 'typeorm';

/** Whose name it is, matched exactly; null when nobody's. */
export async function findUserId(dataSource: DataSource, username: string): Promise<number | null> {
  const [user] = await dataSource.query<{ id: number }[]>('SELECT id FROM users WHERE username = $1', [
    username.replaceAll('\0', ''),
  ]);
  return user?.id ?? null;
}

/** What to say of a name with an @ that is not the own address: sign-in takes either, so it would be in somebody's way. */
export const BORROWED_NAME = 'A username with an @ must be your own email address.';

export const isBorrowedName = (name: string, address: string): boolean =>
  name.includes('@') && name.toLowerCase() !== address.toLowerCase();
