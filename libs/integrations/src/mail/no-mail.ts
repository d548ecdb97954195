import { DeliveryError } from '../outbox/delivery-error.js';
import { MailTransport } from './mail.port.js';

/** For deployments that send no mail. */
export class NoMail extends MailTransport {
  readonly available = false;

  async send(): Promise<void> {
    throw new DeliveryError('No mail server is configured.', true);
  }

  async forgetRecipient(): Promise<number> {
    return 0;
  }
}
