import { AuditLog } from '@app/audit';
import { ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { PasswordHasher } from '../passwords/password-hasher.js';

export interface ProvenPassword {
  userId: number;
  passwordHash: string;
}

export interface NamedAccount {
  id: number;
  passwordHash: string | null;
}

/** One entry of the audit log stands for all wrong passwords of an account in so long, so that an attack does not fill it. */
const QUIET_MS = 60_000;

/** Finds the account that a name or an address and a password prove (docs/contract/sessions.md#sign-in). */
@Injectable()
export class PasswordSignIn {
  private readonly recorded = new LRUCache<number, true>({ max: 10_000, ttl: QUIET_MS });

  constructor(
    private readonly dataSource: DataSource,
    private readonly hasher: PasswordHasher,
    private readonly audit: AuditLog,
  ) {}

  /** Whom a user name or an address means, matched exactly. */
  async find(login: string): Promise<NamedAccount | null> {
    const [account] = await this.dataSource.query<NamedAccount[]>(
      `SELECT id, password_hash AS "passwordHash" FROM users
       WHERE username = $1 OR email = $1 ORDER BY (username = $1) DESC LIMIT 1`,
      [login],
    );
    return account ?? null;
  }

  /**
   * @returns the account, with the hash that the password was proved against
   * @throws ValidationError under `non_field_errors`, the same for an unknown account and a wrong password
   */
  async verify(account: NamedAccount | null, password: string): Promise<ProvenPassword> {
    const matches = await this.hasher.verify(password, account?.passwordHash ?? null);
    if (account?.passwordHash && matches) return { userId: account.id, passwordHash: account.passwordHash };
    if (account) await this.recordRefusal(account.id);
    throw new ValidationError({ non_field_errors: ['Unable to log in with provided credentials.'] });
  }

  private async recordRefusal(subjectId: number): Promise<void> {
    if (this.recorded.has(subjectId)) return;
    this.recorded.set(subjectId, true);
    const target = `user:${subjectId}`;
    await this.audit.record({ action: 'session.refused', outcome: 'failure', actor: null, subjectId, target });
  }
}
