import { AuditLog } from '@app/audit';
import { Messages } from '@app/messages';
import type { OutboxReceipt } from '@app/queues';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { CODE_MINUTES, OneTimeCodes } from './one-time-codes.js';

export interface Addressee {
  id: number;
  email: string;
  language: 'en' | 'ar';
  firstName: string;
}

interface Reviewer {
  to: string;
  language: 'en' | 'ar';
}

const MOST_REVIEWERS = 20;

/** What waited for an address to be confirmed, which is of libs above: never fails. */
export interface Invitations {
  redeemFor(userId: number): Promise<void>;
}

type Confirmed = { id: number; username: string; email: string; verified: boolean };

/** Confirming that an e-mail address is one's own (docs/contract/accounts.md#confirmation). */
export class AddressConfirmation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly codes: OneTimeCodes,
    private readonly messages: Messages,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
    private readonly invitations: Invitations,
    private readonly settings: { approvalNeeded: boolean; reviewers: readonly string[] },
  ) {}

  /** In the caller's transaction; publish the receipt after commit. */
  async sendCode({ id, email, language, firstName }: Addressee, tx: EntityManager): Promise<OutboxReceipt> {
    const code = await this.codes.issue(id, 'email', email, tx);
    const params = { code, minutes: CODE_MINUTES, name: firstName };
    const usefulSeconds = CODE_MINUTES * 60;
    return this.messages.enqueue(
      { channel: 'mail', template: 'email-code', language, to: email, userId: id, params, usefulSeconds },
      tx,
    );
  }

  /** @returns whether a code was sent, the address is confirmed already, or no account has it */
  async resend(email: string): Promise<'sent' | 'confirmed' | 'unknown'> {
    const outcome = await this.dataSource.transaction(async (tx) => {
      const [account] = await tx.query<(Addressee & { confirmed: boolean })[]>(
        `SELECT id, email, language, first_name AS "firstName", email_verified AS confirmed
         FROM users WHERE lower(email) = lower($1) AND is_active FOR NO KEY UPDATE`,
        [email],
      );
      if (!account) return 'unknown';
      return account.confirmed ? 'confirmed' : this.sendCode(account, tx);
    });
    if (typeof outcome === 'string') return outcome;
    this.messages.publish(outcome);
    return 'sent';
  }

  /**
   * Uses the code up.
   * @param email narrows the search, and lets wrong codes count against the account's own
   * @returns null for a wrong code; else whether the account still waits for approval
   */
  async confirm(code: string, email: string | null): Promise<{ awaitsApproval: boolean } | null> {
    const done = await this.dataSource.transaction(async (tx) => {
      const consumed = await this.codes.consumeEmail(code, email, tx);
      if (!consumed) return null;
      const [[account]] = await tx.query<[Confirmed[], number]>(
        `UPDATE users SET email_verified = true WHERE id = $1 AND lower(email) = lower($2)
         RETURNING id, username, email, verified`,
        [consumed.userId, consumed.destination],
      );
      if (!account) return null;
      const actor = { userId: account.id, username: account.username };
      await this.audit.record({ action: 'account.email_verified', actor, target: `user:${account.id}` }, tx);
      const awaitsApproval = this.settings.approvalNeeded && !account.verified;
      return { account, awaitsApproval, receipts: awaitsApproval ? await this.tellReviewers(account, tx) : [] };
    });
    if (!done) {
      if (email) await this.codes.countWrongEmail(email);
      return null;
    }
    this.messages.publish(...done.receipts);
    this.principals.announce({ userId: done.account.id });
    await this.invitations.redeemFor(done.account.id);
    return { awaitsApproval: done.awaitsApproval };
  }

  private async tellReviewers({ id, username, email }: Confirmed, tx: EntityManager): Promise<OutboxReceipt[]> {
    const receipts: OutboxReceipt[] = [];
    const params = { username, email };
    for (const { to, language } of await this.reviewers(tx))
      receipts.push(
        await this.messages.enqueue(
          { channel: 'mail', template: 'approval-needed', language, to, userId: id, params },
          tx,
        ),
      );
    return receipts;
  }

  /** Those of the settings; where none are named, the administrators. */
  private async reviewers(tx: EntityManager): Promise<Reviewer[]> {
    const { reviewers } = this.settings;
    if (reviewers.length > 0) return reviewers.map((to) => ({ to, language: 'en' }));
    return tx.query<Reviewer[]>(
      `SELECT email AS "to", language FROM users WHERE is_staff AND is_active AND email <> '' ORDER BY id LIMIT ${MOST_REVIEWERS}`,
    );
  }
}
