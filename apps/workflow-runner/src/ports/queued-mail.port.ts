import { Readable } from 'node:stream';
import { lockActiveAccount } from '@app/access';
import { derivedId } from '@app/common';
import type { LooseFiles } from '@app/entitlements';
import type { FileStorage } from '@app/integrations';
import { attachmentFolder, type Messages, type WrittenMail } from '@app/messages';
import { type MailPort, type NewMail, ToolError, type Viewer } from '@app/workflow-definition';
import type { DataSource, EntityManager } from 'typeorm';
import type { FoundFile, ReadableFiles } from './readable-files.js';

/** Namespace of the ids by which a repetition is known. */
const MAILS = '0e6f6c1c-6f43-4b0e-9c3d-5d6f0f6b7a11';
const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
/** The queue has given a mail up long before. */
const ATTACHMENTS_KEPT_SECONDS = 2 * 86_400;
const PER_HOURS = 24;

/** Mails of workflows, through the same queue as all others. */
export class QueuedMail implements MailPort {
  constructor(
    private readonly dataSource: DataSource,
    private readonly messages: Messages,
    private readonly files: ReadableFiles,
    private readonly storage: FileStorage,
    private readonly looseFiles: LooseFiles,
    private readonly limits: { mailsPerDay: number },
  ) {}

  async send(
    viewer: Viewer,
    mail: NewMail,
    { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal },
  ): Promise<{ recipients: number }> {
    const messageId = derivedId(MAILS, idempotencyKey);
    const recipients = [...new Set([...mail.to, ...mail.cc, ...mail.bcc].map((address) => address.toLowerCase()))];
    const deliveries = recipients.map((recipient) => ({ id: derivedId(messageId, recipient), recipient }));
    // All are written by one transaction: one of them tells for all.
    if (await this.messages.isKnown(deliveries[0]?.id, this.dataSource.manager))
      return { recipients: recipients.length };
    const attachments = await this.keepAttachments(viewer, messageId, mail.attachments, signal);
    signal.throwIfAborted();
    const receipts = await this.dataSource.transaction(async (tx) => {
      const sender = await this.lockSender(viewer, recipients.length, tx);
      const { to, cc, subject, text, html } = mail;
      const content: WrittenMail = {
        messageId,
        to,
        cc,
        subject,
        text,
        html,
        attachments,
        replyTo: mail.replyTo || sender,
      };
      const added = [];
      for (const { id, recipient } of deliveries)
        added.push(await this.messages.enqueueWritten({ id, recipient, userId: viewer.userId, mail: content }, tx));
      return added.filter((receipt) => receipt !== null);
    });
    this.messages.publish(...receipts);
    return { recipients: recipients.length };
  }

  /** Copies: what is sent later is what the node saw, whatever happens to the files in between. */
  private async keepAttachments(viewer: Viewer, messageId: string, names: string[], signal: AbortSignal) {
    const found: FoundFile[] = [];
    for (const name of names) found.push(await this.files.find(viewer, name));
    if (found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > MAX_ATTACHMENT_BYTES)
      throw new ToolError('attachments_too_large', 'The attachments are larger than 10 MB together.', false);
    const kept: WrittenMail['attachments'][number][] = [];
    for (const [index, file] of found.entries()) {
      const storageKey = `${attachmentFolder(viewer.userId)}${messageId}/${index}`;
      await this.looseFiles.announce(storageKey, ATTACHMENTS_KEPT_SECONDS);
      await this.storage.put(storageKey, Readable.from(file.open()), { signal });
      kept.push({ filename: file.name, mimeType: file.mimeType, storageKey });
    }
    return kept;
  }

  /** Mails of one user are counted one after the other. @returns the user's address */
  private async lockSender({ userId }: Viewer, wanted: number, tx: EntityManager): Promise<string> {
    const sender = await lockActiveAccount(tx, userId);
    if (!sender) throw new ToolError('account_inactive', 'The account of the workflow is not active.', false);
    const sent = await this.messages.countWritten(userId, PER_HOURS, tx);
    const { mailsPerDay } = this.limits;
    if (sent + wanted > mailsPerDay)
      throw new ToolError(
        'mail_limit_reached',
        `Your workflows may send ${mailsPerDay} mails in ${PER_HOURS} hours; ${sent} have been sent.`,
        false,
      );
    return sender;
  }
}
