import { AuditLog } from '@app/audit';
import { ValidationError } from '@app/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { IssuedSession, SignInOrigin } from '../sessions/issued-session.js';
import { SessionService } from '../sessions/session.service.js';

type Account = {
  username: string;
  password_hash: string | null;
  is_active: boolean;
  verified: boolean;
  email_verified: boolean;
};

const refused = (message: string) => new ValidationError({ non_field_errors: [message] });

/** Lets an account in that has proved who it is: its session begins. */
export class Admission {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionService,
    private readonly audit: AuditLog,
    private readonly emailVerification: boolean,
  ) {}

  /**
   * @param passwordHash what a password was proved against: one that was changed in the meantime proves nothing more
   * @throws ValidationError under `non_field_errors`, with the messages of docs/contract/sessions.md#sign-in
   */
  async begin(userId: number, origin: SignInOrigin, passwordHash?: string): Promise<IssuedSession> {
    return this.dataSource.transaction(async (tx) => {
      const { username } = await this.admit(userId, passwordHash, tx);
      const actor = { userId, username };
      const { method } = origin;
      await this.audit.record({ action: 'session.begun', actor, target: `user:${userId}`, details: { method } }, tx);
      return this.sessions.begin(userId, origin, tx);
    });
  }

  private async admit(userId: number, passwordHash: string | undefined, tx: EntityManager): Promise<Account> {
    // A deactivation waits for it, and then ends the session too. Shared locks would deadlock on `last_login`.
    const [account] = await tx.query<Account[]>(
      'SELECT username, password_hash, is_active, verified, email_verified FROM users WHERE id = $1 FOR NO KEY UPDATE',
      [userId],
    );
    if (!account || (passwordHash !== undefined && account.password_hash !== passwordHash))
      throw refused('Unable to log in with provided credentials.');
    if (!account.is_active) throw refused('User account is disabled.');
    if (this.emailVerification && !account.verified) throw refused('User account is not verified.');
    if (this.emailVerification && !account.email_verified) throw refused('Email address is not verified.');
    return account;
  }
}
