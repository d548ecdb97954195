export interface OutgoingSms {
  /** The message's own id. */
  id: string;
  /** Digits with the country code, without the plus sign. */
  to: string;
  text: string;
}

/** Sends text messages. The embedded adapter writes them into a folder, a real one calls Twilio. */
export abstract class SmsTransport {
  abstract readonly available: boolean;

  /** @throws DeliveryError */
  abstract send(sms: OutgoingSms): Promise<void>;

  /** Removes what this side keeps of messages to the number. @returns how many there were */
  abstract forgetRecipient(phone: string): Promise<number>;
}
