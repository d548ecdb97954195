import { type ExportedFile, exportedRow, type OwnedData } from '@app/erasure';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { rateKey } from '../calls/rate-key.js';
import { removeDeserted } from './remove-deserted.js';
import { ACCOUNT_COLUMNS } from './account-columns.js';

/** The account, its sessions, tokens and roles, and its organisation where nobody else could come into it: the last of all. */
@Injectable()
export class OwnedAccount implements OwnedData {
  readonly name = 'account';
  readonly tables = [
    'users',
    'user_roles',
    'sessions',
    'api_tokens',
    'oauth_grants',
    'oauth_requests',
    'idempotency_keys',
  ];
  readonly columns = [ACCOUNT_COLUMNS];
  readonly order = 100;

  constructor(private readonly dataSource: DataSource) {}

  async countFor(userId: number): Promise<number> {
    const rows = await this.dataSource.query<unknown[]>('SELECT FROM users WHERE id = $1', [userId]);
    return rows.length;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [[account]] = await tx.query<[{ email: string; organization_id: number | null }[], number]>(
      'DELETE FROM users WHERE id = $1 RETURNING email, organization_id',
      [userId],
    );
    if (!account) return 0;
    await removeDeserted(tx, account.organization_id);
    const counted = [String(userId), rateKey(account.email)];
    await tx.query('DELETE FROM slow_counters WHERE who = ANY($1)', [counted]);
    return 1;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const [{ account }] = await this.dataSource.query<[{ account: unknown }]>(
      `SELECT ${exportedRow(ACCOUNT_COLUMNS, 'u')}
              || jsonb_build_object('organization', (SELECT name FROM organizations o WHERE o.id = u.organization_id),
                   'roles', (SELECT coalesce(jsonb_agg(r.name), '[]') FROM user_roles ur JOIN roles r ON r.id = ur.role_id
                             WHERE ur.user_id = u.id)) AS account
       FROM users u WHERE id = $1`,
      [userId],
    );
    const sessions = await this.dataSource.query<unknown[]>(
      `SELECT id, method, ip, user_agent, created_at, last_seen_at, revoked_at FROM sessions
       WHERE user_id = $1 ORDER BY created_at`,
      [userId],
    );
    yield { path: 'account.json', content: JSON.stringify(account, null, 2) };
    yield { path: 'sessions.json', content: JSON.stringify(sessions, null, 2) };
  }
}
