import { type AuditAction, AuditLog } from '@app/audit';
import { InvalidRequestError, NotFoundError } from '@app/common';
import { beingErased } from '@app/erasure';
import { Messages } from '@app/messages';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountFactory } from '../accounts/account-factory.js';
import { Seats } from '../accounts/seats.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { passwordProblems } from '../passwords/password-rules.js';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { SessionService } from '../sessions/session.service.js';

export interface AccountSummary {
  id: number;
  username: string;
  email: string;
  organization: string;
  active: boolean;
  approved: boolean;
  emailConfirmed: boolean;
  staff: boolean;
  joined: Date;
}

type Found = AccountSummary & { firstName: string; language: 'en' | 'ar' };

const SELECT = `
  SELECT u.id, u.username, u.email, coalesce(o.name, '') AS organization, u.is_active AS active, u.verified AS approved,
         u.email_verified AS "emailConfirmed", u.is_staff AS staff, u.date_joined AS joined,
         u.first_name AS "firstName", u.language
  FROM users u LEFT JOIN organizations o ON o.id = u.organization_id`;

/** What operators do with accounts from a terminal. Every change is audited, and every replica sees it at once. */
@Injectable()
export class AccountAdministration {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountFactory,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionService,
    private readonly principals: CachedPrincipals,
    private readonly messages: Messages,
    private readonly audit: AuditLog,
    private readonly seats: Seats,
  ) {}

  /** @param search part of a name or an address */
  async list(search: string, limit: number): Promise<AccountSummary[]> {
    const rows = await this.dataSource.query<Found[]>(
      `${SELECT} WHERE $1 = '' OR strpos(lower(u.username), lower($1)) > 0 OR strpos(lower(u.email), lower($1)) > 0
       ORDER BY u.id LIMIT $2`,
      [search, limit],
    );
    return rows.map(toSummary);
  }

  /** @param login user name, address or number. @throws NotFoundError */
  async get(login: string): Promise<AccountSummary> {
    return toSummary(await this.find(login));
  }

  async approve(login: string): Promise<AccountSummary> {
    return this.change(login, 'account.approved', 'verified = true', async ({ id, email, firstName, language }, tx) => [
      await this.messages.enqueue(
        { channel: 'mail', template: 'account-approved', language, to: email, userId: id, params: { name: firstName } },
        tx,
      ),
    ]);
  }

  /** Ends every session and API token too. */
  async disable(login: string): Promise<AccountSummary> {
    return this.change(login, 'account.disabled', 'is_active = false', async ({ id }, tx) => {
      await this.sessions.revokeAll(id, null, tx);
      await this.sessions.revokeApiTokens(id, tx);
      return [];
    });
  }

  /** @throws InvalidRequestError for an account that is being erased; ForbiddenError `no_free_seats` */
  async enable(login: string): Promise<AccountSummary> {
    return this.change(login, 'account.enabled', 'is_active = is_active', async ({ id }, tx) => {
      await this.takeSeat(id, tx);
      await tx.query('UPDATE users SET is_active = true WHERE id = $1', [id]);
      const [{ erasing }] = await tx.query<[{ erasing: boolean }]>(`SELECT ${beingErased('$1')} AS erasing`, [id]);
      if (erasing) throw new InvalidRequestError('The account is being erased.', { code: 'erasure_under_way' });
      return [];
    });
  }

  /** Of its organisation, which an account that is not active has none of. */
  private async takeSeat(userId: number, tx: EntityManager): Promise<void> {
    const [account] = await tx.query<{ organization_id: number | null; is_active: boolean }[]>(
      'SELECT organization_id, is_active FROM users WHERE id = $1 FOR NO KEY UPDATE',
      [userId],
    );
    if (account && !account.is_active && account.organization_id !== null)
      await this.seats.claim(account.organization_id, tx);
  }

  async setStaff(login: string, isStaff: boolean): Promise<AccountSummary> {
    const action = isStaff ? 'account.staff_granted' : 'account.staff_revoked';
    return this.change(login, action, `is_staff = ${isStaff}`);
  }

  /** Whether the account may have a dedicated agent, which its own lib audits. */
  async setDedicatedAgent(login: string, isFlagged: boolean): Promise<AccountSummary> {
    const { id } = await this.find(login);
    await this.dataSource.query('UPDATE users SET dedicated_agent = $2 WHERE id = $1', [id, isFlagged]);
    this.principals.announce({ userId: id });
    return this.get(String(id));
  }

  async endSessions(login: string): Promise<AccountSummary> {
    return this.change(login, 'session.all_ended', 'is_active = is_active', async ({ id }, tx) => {
      await this.sessions.revokeAll(id, null, tx);
      return [];
    });
  }

  /** Ends every session. @throws InvalidRequestError for a weak password */
  async setPassword(login: string, password: string): Promise<AccountSummary> {
    const found = await this.find(login);
    assertGood(password, found);
    const passwordHash = await this.hasher.hash(password);
    return this.change(login, 'password.set', 'is_active = is_active', async ({ id }, tx) => {
      await tx.query('UPDATE users SET password_hash = $2 WHERE id = $1', [id, passwordHash]);
      await this.sessions.revokeAll(id, null, tx);
      return [];
    });
  }

  /** An approved account with a confirmed address. @throws ValidationError, InvalidRequestError */
  async create(username: string, email: string, password: string): Promise<AccountSummary> {
    assertGood(password, { username, email });
    const passwordHash = await this.hasher.hash(password);
    const names = { firstName: '', lastName: '', phone: null };
    await this.dataSource.transaction(async (tx) => {
      const account = { username, email, passwordHash, ...names, organizationId: null };
      const id = await this.accounts.create({ ...account, verified: true, emailVerified: true }, tx);
      await this.record('account.registered', id, tx);
    });
    return this.get(username);
  }

  private async change(
    login: string,
    action: AuditAction,
    set: string,
    alsoWrite: (account: Found, tx: EntityManager) => Promise<OutboxReceipt[]> = async () => [],
  ): Promise<AccountSummary> {
    const found = await this.find(login);
    const receipts = await this.dataSource.transaction(async (tx) => {
      await tx.query(`UPDATE users SET ${set} WHERE id = $1`, [found.id]);
      await this.record(action, found.id, tx);
      return alsoWrite(found, tx);
    });
    this.principals.announce({ userId: found.id });
    await this.messages.publishNow(...receipts);
    return this.get(String(found.id));
  }

  private record(action: AuditAction, subjectId: number, tx: EntityManager): Promise<void> {
    const details = { by: 'terminal' };
    return this.audit.record({ action, actor: null, subjectId, target: `user:${subjectId}`, details }, tx);
  }

  private async find(login: string): Promise<Found> {
    const [row] = await this.dataSource.query<Found[]>(
      `${SELECT} WHERE u.username = $1 OR lower(u.email) = lower($1) OR u.id::text = $1
       ORDER BY (u.username = $1) DESC, (lower(u.email) = lower($1)) DESC LIMIT 1`,
      [login],
    );
    if (!row) throw new NotFoundError(`There is no account "${login}".`);
    return row;
  }
}

function toSummary(found: Found): AccountSummary {
  const { id, username, email, organization, active, approved, emailConfirmed, staff, joined } = found;
  return { id, username, email, organization, active, approved, emailConfirmed, staff, joined };
}

function assertGood(password: string, subject: { username: string; email: string }): void {
  const problems = passwordProblems(password, subject);
  if (problems.length > 0) throw new InvalidRequestError(problems.join(' '), { code: 'weak_password' });
}
