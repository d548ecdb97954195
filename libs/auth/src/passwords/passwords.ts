import { AuditLog } from '@app/audit';
import { currentContext, InvalidRequestError, NotFoundError } from '@app/common';
import { Messages } from '@app/messages';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { holdSession } from '../principal/hold-session.js';
import type { Principal } from '../principal/principal.js';
import { SessionService } from '../sessions/session.service.js';
import { PasswordHasher } from './password-hasher.js';
import { passwordProblems } from './password-rules.js';
import { RecoveryKeys } from './recovery-keys.js';

interface Account {
  id: number;
  username: string;
  email: string;
  firstName: string;
  lastName: string;
  language: 'en' | 'ar';
  passwordHash: string | null;
}

type Change = 'password.changed' | 'password.set' | 'password.recovered';

const FIND = `SELECT id, username, email, first_name AS "firstName", last_name AS "lastName", language,
                     password_hash AS "passwordHash" FROM users`;

const wrongPassword = (message: string) => new InvalidRequestError(message, { code: 'wrong_password' });

/**
 * Changing, setting and recovering passwords (docs/contract/accounts.md#passwords,
 * docs/contract/accounts.md#keys-of-clients).
 */
@Injectable()
export class Passwords {
  constructor(
    private readonly dataSource: DataSource,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionService,
    private readonly principals: CachedPrincipals,
    private readonly keys: RecoveryKeys,
    private readonly messages: Messages,
    private readonly audit: AuditLog,
  ) {}

  /** Ends every other session; the client wraps its own keys anew. @throws InvalidRequestError */
  async change(viewer: Principal, oldPassword: string, newPassword: string): Promise<void> {
    const account = await this.get(viewer.userId);
    if (!(await this.hasher.verify(oldPassword, account.passwordHash)))
      throw wrongPassword('The old password is wrong.');
    assertGood(newPassword, account);
    await this.write(account, newPassword, 'password.changed', viewer);
  }

  /** For accounts without a password, or to replace it. A recovery key in escrow is wrapped under it. @throws InvalidRequestError */
  async set(viewer: Principal, newPassword: string, currentPassword: string | undefined): Promise<void> {
    const account = await this.get(viewer.userId);
    if (account.passwordHash !== null) {
      if (!currentPassword)
        throw new InvalidRequestError('The current password is required.', { code: 'current_password_required' });
      if (!(await this.hasher.verify(currentPassword, account.passwordHash)))
        throw wrongPassword('The current password is wrong.');
    }
    assertGood(newPassword, account);
    const key = await this.keys.findEscrowed(viewer.userId);
    const envelope = key && (await this.keys.wrap(key, newPassword));
    await this.write(account, newPassword, 'password.set', viewer, async (tx) => {
      if (envelope) await this.keys.store(account.id, envelope, tx);
    });
  }

  /**
   * Ends every session. A wrong code and an account without recovery give the same error after the same work.
   * @throws NotFoundError for an address that nobody has
   * @throws InvalidRequestError
   */
  async recover(email: string, recoveryCode: string, newPassword: string): Promise<void> {
    const [account] = await this.dataSource.query<Account[]>(`${FIND} WHERE lower(email) = lower($1) AND is_active`, [
      email,
    ]);
    const problems = passwordProblems(newPassword, account ?? { username: '', email });
    const opened = await this.keys.open(account?.id ?? null, recoveryCode);
    if (!account) throw new NotFoundError('No account has this email address.', { code: 'account_not_found' });
    if (problems.length > 0) throw weak(problems);
    if (!opened) throw await this.refuse(account);
    const envelope = await this.keys.wrap(opened.key, newPassword);
    await this.write(account, newPassword, 'password.recovered', null, async (tx) => {
      if (!(await this.keys.stillStands(account.id, opened, tx))) throw invalidCode();
      await this.keys.store(account.id, envelope, tx);
    });
  }

  private async get(userId: number): Promise<Account> {
    const [account] = await this.dataSource.query<Account[]>(`${FIND} WHERE id = $1`, [userId]);
    if (!account) throw new NotFoundError();
    return account;
  }

  private async refuse({ id, username }: Account): Promise<InvalidRequestError> {
    const subject = { userId: id, username };
    await this.audit.record({
      action: 'password.recovery_refused',
      outcome: 'failure',
      actor: null,
      subjectId: id,
      target: `user:${subject.userId}`,
    });
    return invalidCode();
  }

  /** @param viewer whose session goes on; null ends them all. @throws UnauthenticatedError when it has ended meanwhile */
  private async write(
    account: Account,
    password: string,
    action: Change,
    viewer: Principal | null,
    alsoWrite: (tx: EntityManager) => Promise<void> = async () => {},
  ): Promise<void> {
    const passwordHash = await this.hasher.hash(password);
    const receipt = await this.dataSource.transaction(async (tx) => {
      if (viewer) await holdSession(tx, viewer);
      const [, count] = await tx.query<[unknown, number]>(
        'UPDATE users SET password_hash = $2 WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $3',
        [account.id, passwordHash, account.passwordHash],
      );
      // Somebody changed it a moment ago: what was proved here was the one before.
      if (count === 0) throw wrongPassword('The password was changed meanwhile. Try again.');
      await alsoWrite(tx);
      await this.sessions.revokeAll(account.id, viewer?.sessionId ?? null, tx);
      if (action === 'password.recovered') await this.sessions.revokeApiTokens(account.id, tx);
      const actor = { userId: account.id, username: account.username };
      await this.audit.record({ action, actor, target: `user:${account.id}` }, tx);
      return this.tell(account, tx);
    });
    this.principals.announce({ userId: account.id });
    this.messages.publish(receipt);
  }

  private tell({ id, email, firstName, language }: Account, tx: EntityManager): Promise<OutboxReceipt> {
    const at = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const params = { name: firstName, at, ip: currentContext()?.ip ?? '-' };
    return this.messages.enqueue(
      { channel: 'mail', template: 'password-changed', language, to: email, userId: id, params },
      tx,
    );
  }
}

const invalidCode = () => new InvalidRequestError('The recovery code is invalid.', { code: 'invalid_recovery_code' });
/** A list of messages, as docs/contract/accounts.md#passwords has it. */
const weak = (problems: string[]) =>
  new InvalidRequestError(problems.join(' '), { code: 'weak_password', extra: { error: problems } });

function assertGood(password: string, account: Account): void {
  const problems = passwordProblems(password, account);
  if (problems.length > 0) throw weak(problems);
}
