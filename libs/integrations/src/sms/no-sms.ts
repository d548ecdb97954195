import { DeliveryError } from '../outbox/delivery-error.js';
import { SmsTransport } from './sms.port.js';

/** For deployments that send no text messages. */
export class NoSms extends SmsTransport {
  readonly available = false;

  async send(): Promise<void> {
    throw new DeliveryError('No provider of text messages is configured.', true);
  }

  async forgetRecipient(): Promise<number> {
    return 0;
  }
}
