/** Stands in `outgoing_messages.template` for mails that no template words. */
export const WRITTEN_MAIL = 'written-mail';

/** A mail in somebody's own words, as it is sealed until it is sent. */
export interface WrittenMail {
  /** The same for every recipient. */
  messageId: string;
  to: readonly string[];
  cc: readonly string[];
  replyTo: string;
  subject: string;
  text: string;
  /** Empty: text only. */
  html: string;
  attachments: readonly { filename: string; mimeType: string; storageKey: string }[];
}

/** In the file storage, where copies of what a user attaches lie until they are swept. */
export function attachmentFolder(userId: number): string {
  return `mail/${userId}/`;
}

/** One delivery of it. */
export interface WrittenMailDelivery {
  /** Another one under the same id is not made. */
  id: string;
  recipient: string;
  /** On whose behalf. */
  userId: number;
  mail: WrittenMail;
}
