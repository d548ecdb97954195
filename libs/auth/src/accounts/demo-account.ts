import type { DataSource } from 'typeorm';
import type { PasswordHasher } from '../passwords/password-hasher.js';
import { AccountFactory } from './account-factory.js';

const DEMO = { username: 'demo', email: 'demo@atrium.local', firstName: 'Demo', lastName: 'Account', phone: null };

/** Makes the account of the demo when it is missing, and gives it this password when it has another one. */
export async function seedDemoAccount(
  dataSource: DataSource,
  hasher: PasswordHasher,
  password: string,
  defaultModelId: number,
): Promise<{ username: string; password: string }> {
  const [known] = await dataSource.query<{ id: number; password_hash: string | null }[]>(
    'SELECT id, password_hash FROM users WHERE username = $1',
    [DEMO.username],
  );
  if (!known) {
    const account = { ...DEMO, passwordHash: await hasher.hash(password), organizationId: null };
    await dataSource.transaction((tx) =>
      new AccountFactory(() => defaultModelId).create({ ...account, verified: true, emailVerified: true }, tx),
    );
  } else if (!(await hasher.verify(password, known.password_hash)))
    await dataSource.query('UPDATE users SET password_hash = $2 WHERE id = $1', [
      known.id,
      await hasher.hash(password),
    ]);
  await dataSource.query(
    'UPDATE users SET verified = true, email_verified = true, is_active = true WHERE username = $1 AND NOT (verified AND email_verified AND is_active)',
    [DEMO.username],
  );
  return { username: DEMO.username, password };
}
