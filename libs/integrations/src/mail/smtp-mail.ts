import type { Transporter } from 'nodemailer';
import { DeliveryError } from '../outbox/delivery-error.js';
import { compose } from './compose.js';
import { MailTransport, type OutgoingMail } from './mail.port.js';

export interface SmtpSettings {
  /** `smtp://` (STARTTLS when offered) or `smtps://`, with user and password. */
  url: string;
  from: string;
}

/** Sends through a mail server. */
export class SmtpMail extends MailTransport {
  readonly available = true;
  private transporter: Transporter | null = null;

  constructor(private readonly settings: SmtpSettings) {
    super();
  }

  async send(mail: OutgoingMail): Promise<void> {
    try {
      this.transporter ??= await connectTo(this.settings.url);
      await this.transporter.sendMail(compose(mail, this.settings.from));
    } catch (error) {
      throw toDeliveryError(error);
    }
  }

  async forgetRecipient(): Promise<number> {
    return 0;
  }
}

/** Its library is loaded with the first mail. */
async function connectTo(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 5000 };
  return createTransport({ url, ...timeouts });
}

/** Mail servers repeat addresses and contents in their answers, so only the code is passed on. */
function toDeliveryError(error: unknown): DeliveryError {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  if (responseCode) {
    // A wrong password is the operator's to mend, and the mails shall still go out then.
    const isPermanent = responseCode >= 500 && code !== 'EAUTH';
    return new DeliveryError(`The mail server answered ${responseCode}.`, isPermanent);
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return new DeliveryError('The mail cannot be sent as it is.', true);
  return new DeliveryError(`The mail server cannot be reached (${code ?? 'no answer'}).`, false);
}
