import { AuditLog } from '@app/audit';
import { InvalidRequestError } from '@app/common';
import { Messages } from '@app/messages';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import type { Principal } from '../principal/principal.js';
import { CODE_MINUTES, OneTimeCodes } from './one-time-codes.js';

/** Confirming that a mobile number is one's own (docs/contract/accounts.md#confirmation). */
@Injectable()
export class PhoneConfirmation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly codes: OneTimeCodes,
    private readonly messages: Messages,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /** @throws InvalidRequestError (`phone_missing`) */
  async sendCode({ userId }: Principal): Promise<void> {
    const receipt = await this.dataSource.transaction(async (tx) => {
      const [account] = await tx.query<{ phone: string | null; language: 'en' | 'ar' }[]>(
        'SELECT phone, language FROM users WHERE id = $1 FOR NO KEY UPDATE',
        [userId],
      );
      if (!account?.phone)
        throw new InvalidRequestError('Add a phone number to your profile first.', { code: 'phone_missing' });
      const { phone: to, language } = account;
      const params = { code: await this.codes.issue(userId, 'phone', to, tx), minutes: CODE_MINUTES };
      const usefulSeconds = CODE_MINUTES * 60;
      return this.messages.enqueue(
        { channel: 'sms', template: 'phone-code', language, to, userId, params, usefulSeconds },
        tx,
      );
    });
    this.messages.publish(receipt);
  }

  /** @returns false for a wrong code, or when the number has changed since */
  async confirm({ userId, username }: Principal, code: string): Promise<boolean> {
    const consumed = await this.codes.consumePhone(userId, code);
    if (!consumed) return false;
    const confirmed = await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>(
        'UPDATE users SET number_verified = true WHERE id = $1 AND phone::text = $2',
        [userId, consumed.destination],
      );
      if (count === 0) return false;
      const actor = { userId, username };
      await this.audit.record({ action: 'account.phone_verified', actor, target: `user:${userId}` }, tx);
      return true;
    });
    if (confirmed) this.principals.announce({ userId });
    return confirmed;
  }
}
