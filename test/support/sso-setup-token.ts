import { hashToken, newToken } from '../../libs/common/src/token.js';
import type { TestApi } from './api.js';

/** What `npm run admin -- sso setup-token <domain>` makes. */
export async function setupToken(api: Pick<TestApi, 'database'>, domain: string, hours = 24): Promise<string> {
  const token = `sso_${newToken()}`;
  await api.database.dataSource.query(
    `INSERT INTO sso_setup_tokens (id, token_hash, domain, expires_at)
     VALUES (gen_random_uuid(), $1, $2, now() + make_interval(hours => $3))`,
    [hashToken(token), domain, hours],
  );
  return token;
}
