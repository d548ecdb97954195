export interface OutgoingMail {
  /** The message's own id: a second delivery after a crash carries the same `Message-ID`. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  language: string;
}

/** Sends mails. The embedded adapter writes them into a folder, a real one speaks SMTP. */
export abstract class MailTransport {
  /** Whether mails go anywhere at all. */
  abstract readonly available: boolean;

  /** @throws DeliveryError */
  abstract send(mail: OutgoingMail): Promise<void>;

  /** Removes what this side keeps of mails to the address. @returns how many there were */
  abstract forgetRecipient(address: string): Promise<number>;
}
