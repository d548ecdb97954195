import type { OutboxFolder } from '../outbox/outbox-folder.js';
import { compose } from './compose.js';
import { MailTransport, type OutgoingMail } from './mail.port.js';

/** Writes each mail as an .eml file, which any mail program opens. */
export class OutboxMail extends MailTransport {
  readonly available = true;

  constructor(
    private readonly folder: OutboxFolder,
    private readonly from: string,
  ) {
    super();
  }

  async send(mail: OutgoingMail): Promise<void> {
    const { createTransport } = await import('nodemailer');
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message } = await composer.sendMail(compose(mail, this.from));
    if (!Buffer.isBuffer(message)) throw new Error('The mail was not composed into a buffer.');
    await this.folder.write(mail.id, mail.to, 'eml', message);
  }

  forgetRecipient(address: string): Promise<number> {
    return this.folder.forget(address);
  }
}
