import { randomBytes } from 'node:crypto';
import { hashToken, newId, newToken } from '@app/common';
import type { TestApi } from './api.js';
import { HttpClient } from './http-client.js';

export type Rank = 'owner' | 'admin' | 'member' | 'viewer';

/** Somebody who is signed in, with the number of the account. */
export interface Person {
  id: number;
  client: HttpClient;
}

type Database = Pick<TestApi, 'baseUrl' | 'database'>;

const nameOf = () => `o${randomBytes(6).toString('hex')}`;

/** Organisations and their people, made without the routes that are tested. */
export class Organisations {
  constructor(private readonly api: Database) {}

  sql<T>(text: string, values: unknown[] = []): Promise<T> {
    return this.api.database.dataSource.query<T>(text, values);
  }

  async make(seats: number | null = null): Promise<number> {
    const name = nameOf();
    const [{ id }] = await this.sql<[{ id: number }]>(
      'INSERT INTO organizations (name, domain, seat_limit) VALUES ($1, $2, $3) RETURNING id',
      [name, `${name}.example`, seats],
    );
    return id;
  }

  /** Signed in, with a confirmed address, in a personal organisation. */
  async person(): Promise<Person> {
    const client = await HttpClient.signUp(this.api.baseUrl);
    const [[{ id }]] = await this.sql<[[{ id: number }], number]>(
      'UPDATE users SET email_verified = true WHERE username = $1 RETURNING id',
      [client.username],
    );
    return { id, client };
  }

  /** The same in an organisation; nobody has asked who they are yet. */
  async join(organizationId: number, role: Rank): Promise<Person> {
    const person = await this.person();
    await this.place(person.id, organizationId, role);
    return person;
  }

  async place(userId: number, organizationId: number, role: Rank): Promise<void> {
    await this.sql('UPDATE users SET organization_id = $2, organization_role = $3 WHERE id = $1', [
      userId,
      organizationId,
      role,
    ]);
  }

  /** Somebody of it who does not sign in. */
  async colleague(organizationId: number, role: Rank = 'member'): Promise<number> {
    const [{ id }] = await this.sql<[{ id: number }]>(
      `INSERT INTO users (username, email, organization_id, organization_role, email_verified)
       VALUES ($1, $1 || '@test.example', $2, $3, true) RETURNING id`,
      [nameOf(), organizationId, role],
    );
    return id;
  }

  /** @returns the token that the mail would have */
  async invite(organizationId: number, inviterId: number, address: string, role: Rank = 'member'): Promise<string> {
    const token = newToken();
    await this.sql(
      `INSERT INTO organization_invitations (id, organization_id, address, role, inviter_id, token_hash, expires_at)
       VALUES ($1, $2, lower($3), $4, $5, $6, now() + interval '7 days')`,
      [newId(), organizationId, address, role, inviterId, hashToken(token)],
    );
    return token;
  }

  async roleOf(userId: number): Promise<{ organization_id: number; role: Rank }> {
    const [row] = await this.sql<[{ organization_id: number; role: Rank }]>(
      'SELECT organization_id, organization_role AS role FROM users WHERE id = $1',
      [userId],
    );
    return row;
  }

  async owners(organizationId: number): Promise<number[]> {
    const rows = await this.sql<{ id: number }[]>(
      `SELECT id FROM users WHERE organization_id = $1 AND organization_role = 'owner' AND is_active ORDER BY id`,
      [organizationId],
    );
    return rows.map(({ id }) => id);
  }
}

export interface Said {
  status: number;
  body: Record<string, unknown>;
}

export async function ask({ client }: Person, method: string, path: string, body?: unknown): Promise<Said> {
  const response = await client.send(method, path, body);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}
