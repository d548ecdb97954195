import { DeliveryError } from '../outbox/delivery-error.js';
import { type OutgoingSms, SmsTransport } from './sms.port.js';

export interface TwilioSettings {
  baseUrl: string;
  accountSid: string;
  authToken: string;
  /** A number (`+15005550006`) or a messaging service (`MG...`). */
  from: string;
  channel: 'sms' | 'whatsapp';
}

const TIMEOUT_MS = 15_000;

/** Twilio's Programmable Messaging API: `POST /2010-04-01/Accounts/{sid}/Messages.json`. */
export class TwilioSms extends SmsTransport {
  readonly available = true;

  constructor(private readonly settings: TwilioSettings) {
    super();
  }

  async send({ to, text }: OutgoingSms): Promise<void> {
    const { baseUrl, accountSid, authToken } = this.settings;
    const url = new URL(`/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`, baseUrl);
    const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
      body: this.form(to, text),
    }).catch((error: Error) => {
      throw new DeliveryError(`The provider of text messages cannot be reached (${error.name}).`, false);
    });
    // Its body repeats the number and the text: the status is all that is needed.
    await response.body?.cancel();
    if (response.ok) return;
    // A wrong token or a suspended account is the operator's to mend, and the messages shall still go out then.
    const isTransient = response.status >= 500 || [401, 403, 408, 429].includes(response.status);
    throw new DeliveryError(`The provider of text messages answered ${response.status}.`, !isTransient);
  }

  async forgetRecipient(): Promise<number> {
    return 0;
  }

  private form(to: string, text: string): URLSearchParams {
    const { from, channel } = this.settings;
    const prefix = channel === 'whatsapp' ? 'whatsapp:' : '';
    const sender: [string, string] = from.startsWith('MG') ? ['MessagingServiceSid', from] : ['From', prefix + from];
    return new URLSearchParams([['To', `${prefix}+${to}`], sender, ['Body', text]]);
  }
}
