import { AuditReader } from '@app/audit';
import { exportedRow, type ExportedFile, type OwnedData } from '@app/erasure';
import { FileStorage, Subscriptions } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { rateKey } from '../http/rate-limiter.js';
import { ACCOUNT_COLUMNS } from './account-columns.js';

/** What is paid for ends first, before there is anything missing that it could be paid for. */
@Injectable()
export class OwnedSubscription implements OwnedData {
  readonly name = 'subscription';
  readonly tables = [];
  readonly order = 10;

  constructor(private readonly subscriptions: Subscriptions) {}

  async countFor(): Promise<number> {
    return 0;
  }

  async deleteSome(userId: number): Promise<number> {
    await this.subscriptions.cancelFor(userId);
    return 0;
  }
}

/** Files of the File Writer, and copies of one's data. */
@Injectable()
export class OwnedFiles implements OwnedData {
  readonly name = 'files';
  readonly tables = ['written_files', 'exports'];

  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
  ) {}

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM written_files WHERE owner_id = $1)::int
            + (SELECT count(*) FROM exports WHERE user_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const files = await tx.query<{ key: string }[]>(
      `SELECT storage_key AS key FROM written_files WHERE owner_id = $1
       UNION ALL SELECT storage_key FROM exports WHERE user_id = $1`,
      [userId],
    );
    for (const { key } of files) await this.storage.delete(key);
    await tx.query('DELETE FROM written_files WHERE owner_id = $1', [userId]);
    await tx.query('DELETE FROM exports WHERE user_id = $1', [userId]);
    return files.length;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const files = await this.dataSource.query<{ path: string; key: string }[]>(
      'SELECT path, storage_key AS key FROM written_files WHERE owner_id = $1 ORDER BY path',
      [userId],
    );
    for (const { path, key } of files)
      yield { path: `files/${path}`, content: async () => (await this.storage.open(key)).stream };
  }
}

/** What the audit log says of the person; the entries themselves stay. */
@Injectable()
export class OwnedAuditEntries implements OwnedData {
  readonly name = 'audit';
  readonly tables = ['audit_events', 'audit_inbox'];
  readonly order = 90;

  constructor(
    private readonly dataSource: DataSource,
    private readonly reader: AuditReader,
  ) {}

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM audit_events WHERE actor_id = $1 OR subject_id = $1)::int
            + (SELECT count(*) FROM audit_inbox
               WHERE (event ->> 'actorId')::int = $1 OR (event ->> 'subjectId')::int = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  deleteSome(userId: number, tx: EntityManager): Promise<number> {
    return this.reader.eraseAccount(userId, tx);
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.reader.listAbout(userId);
    yield { path: 'audit.json', content: JSON.stringify(rows, null, 2) };
  }
}

/** The account, its sessions, tokens and roles, and its personal organisation: the last of all. */
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
    await tx.query(
      `DELETE FROM organizations o WHERE id = $1 AND personal
         AND NOT EXISTS (SELECT FROM users WHERE organization_id = o.id)`,
      [account.organization_id],
    );
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
