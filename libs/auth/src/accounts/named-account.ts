import type { DataSource } from 'typeorm';

/** Whose name it is, matched exactly; null when nobody's. */
export async function findUserId(dataSource: DataSource, username: string): Promise<number | null> {
  const [user] = await dataSource.query<{ id: number }[]>('SELECT id FROM users WHERE username = $1', [
    username.replaceAll('\0', ''),
  ]);
  return user?.id ?? null;
}
