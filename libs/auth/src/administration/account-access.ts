import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SessionService } from '../sessions/session.service.js';

/** All that people and their programs hold to get into an account. */
@Injectable()
export class AccountAccess {
  constructor(private readonly sessions: SessionService) {}

  /** Ends sessions and API tokens in the caller's transaction; announce the account after commit. */
  async end(userId: number, tx: EntityManager): Promise<void> {
    await this.sessions.revokeAll(userId, null, tx);
    await this.sessions.revokeApiTokens(userId, tx);
  }

  /** For good: nobody gets in, and nothing of the account is worked on any more. */
  async close(userId: number, tx: EntityManager): Promise<void> {
    await tx.query('UPDATE users SET is_active = false WHERE id = $1', [userId]);
    await this.end(userId, tx);
  }
}
