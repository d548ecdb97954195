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

  /**
   * Whom a user name or an address means, matched exactly: two people where the address of one is the name of the
   * other. A directory names its people as it likes, and an address changes under a name that was the same. Names are
   * kept in one Unicode form; those of before as they were typed.
   */
  async find(login: string): Promise<NamedAccount[]> {
    return this.dataSource.query<NamedAccount[]>(
      `SELECT id, password_hash AS "passwordHash" FROM users
       WHERE username IN ($1, $2) OR email = $1 ORDER BY (username IN ($1, $2)) DESC LIMIT 3`,
      [login, login.normalize('NFKC')],
    );
  }

  /**
   * @returns the account that it is the password of: nobody is kept out by somebody else's name
   * @throws ValidationError under `non_field_errors`, the same for an unknown account and a wrong password
   */
  async verify(accounts: readonly NamedAccount[], password: string): Promise<ProvenPassword> {
    const able = accounts.filter(({ passwordHash }) => passwordHash !== null);
    // The same work for nobody as for one.
    for (const account of able.length > 0 ? able : [null]) {
      const matches = await this.hasher.verify(password, account?.passwordHash ?? null);
      if (account?.passwordHash && matches) return { userId: account.id, passwordHash: account.passwordHash };
    }
    for (const { id } of accounts) await this.recordRefusal(id);
    throw new ValidationError({ non_field_errors: ['Unable to log in with provided credentials.'] });
  }

  private async recordRefusal(subjectId: number): Promise<void> {
    if (this.recorded.has(subjectId)) return;
    this.recorded.set(subjectId, true);
    const target = `user:${subjectId}`;
    await this.audit.record({ action: 'session.refused', outcome: 'failure', actor: null, subjectId, target });
  }
}
