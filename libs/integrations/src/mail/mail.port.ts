import type { Readable } from 'node:stream';

export interface MailAttachment {
  filename: string;
  contentType: string;
  content: Readable | Buffer;
}

export interface OutgoingMail {
  /** The message's own id: a second delivery after a crash carries the same `Message-ID`. */
  id: string;
  /** Who gets it. */
  to: string;
  subject: string;
  /** Empty: HTML only. */
  text: string;
  /** Empty: text only. */
  html: string;
  /** Empty: not known. */
  language: string;
  /** Whom the message names as its recipients, when it goes to several, each by a delivery of its own. */
  addressedTo?: { to: readonly string[]; cc: readonly string[] };
  /** The same for every delivery of one message; `id` when absent. */
  messageId?: string;
  replyTo?: string;
  attachments?: readonly MailAttachment[];
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
