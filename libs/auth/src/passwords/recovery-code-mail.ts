import { DomainError, InvalidRequestError } from '@app/common';
import { MailTransport } from '@app/integrations';
import { Messages } from '@app/messages';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../principal/principal.js';

/** The specification's 500: no mail can be sent here. */
export class MailNotSentError extends DomainError {
  constructor() {
    super('The email could not be sent.', 'mail_not_sent');
  }
}

/** Mails a recovery code to the account that it opens: the server has it only wrapped, so the client brings it. */
@Injectable()
export class RecoveryCodeMail {
  constructor(
    private readonly dataSource: DataSource,
    private readonly mail: MailTransport,
    private readonly messages: Messages,
  ) {}

  /**
   * @throws InvalidRequestError (`email_missing`)
   * @throws MailNotSentError when the deployment sends no mail
   */
  async send({ userId }: Principal, recoveryCode: string): Promise<void> {
    if (!this.mail.available) throw new MailNotSentError();
    const receipt = await this.dataSource.transaction(async (tx) => {
      const [account] = await tx.query<{ email: string; name: string; language: 'en' | 'ar' }[]>(
        'SELECT email, first_name AS name, language FROM users WHERE id = $1',
        [userId],
      );
      if (!account?.email)
        throw new InvalidRequestError('The account has no email address.', { code: 'email_missing' });
      const { email: to, name, language } = account;
      const params = { recoveryCode, name };
      return this.messages.enqueue({ channel: 'mail', template: 'recovery-code', language, to, userId, params }, tx);
    });
    this.messages.publish(receipt);
  }
}
