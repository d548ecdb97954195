import type { OutboxFolder } from '../outbox/outbox-folder.js';
import { type OutgoingSms, SmsTransport } from './sms.port.js';

/** Writes each text message as a .txt file. */
export class OutboxSms extends SmsTransport {
  readonly available = true;

  constructor(private readonly folder: OutboxFolder) {
    super();
  }

  async send({ id, to, text }: OutgoingSms): Promise<void> {
    await this.folder.write(id, to, 'txt', `To: +${to}\n\n${text}\n`);
  }

  forgetRecipient(phone: string): Promise<number> {
    return this.folder.forget(phone);
  }
}
