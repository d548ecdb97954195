import { sendMessageJob } from '@app/contracts';
import { DeliveryError, FileMissingError, FileStorage, MailTransport, SmsTransport } from '@app/integrations';
import { Outbox } from '@app/queues';
import { SealingService } from '@app/secrets';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { renderMessage } from './templates/render.js';
import type { Language, MessageParams, TemplateName } from './templates/template.js';
import { WRITTEN_MAIL, type WrittenMail } from './written-mail.js';

/** How long one try may take before another worker repeats it. */
const LEASE_SECONDS = 120;
/** Seconds before each further try; after the last one the message is given up. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 3600, 10_800];
/** A message that nobody took so long after its time was forgotten by the queue. */
const FORGOTTEN_SECONDS = 10;
const KEPT_DAYS = 30;
const BATCH = 50;

type Claimed = {
  id: string;
  channel: 'mail' | 'sms';
  template: TemplateName | typeof WRITTEN_MAIL;
  language: Language | '';
  recipient: string;
  params_sealed: Buffer;
  attempts: number;
};

/**
 * Sends what was asked for. At least once: a crash between the provider's yes and our note of it sends a second time,
 * under the same message id.
 */
@Injectable()
export class MessageSender {
  private readonly logger = new Logger(MessageSender.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly outbox: Outbox,
    private readonly mail: MailTransport,
    private readonly sms: SmsTransport,
    private readonly files: FileStorage,
  ) {}

  /** One try, if the message is due and nobody else is at it. Never throws for what the provider says. */
  async trySend(messageId: string): Promise<void> {
    const [[message]] = await this.dataSource.query<[Claimed[], number]>(
      `UPDATE outgoing_messages SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $2)
       WHERE id = $1 AND state = 'waiting' AND next_attempt_at <= now() AND (expires_at IS NULL OR expires_at > now())
       RETURNING id, channel, template, language, recipient, params_sealed, attempts`,
      [messageId, LEASE_SECONDS],
    );
    if (!message) return;
    try {
      await this.deliver(message);
      await this.finish(message.id, 'sent', '');
    } catch (error) {
      await this.putOff(message, error);
    }
  }

  /** What the queue lost, or a worker that died; and what need not be sent or kept any longer. */
  async sweep(): Promise<void> {
    await this.dataSource.query(
      `UPDATE outgoing_messages SET state = 'expired', params_sealed = NULL, finished_at = now()
       WHERE state = 'waiting' AND expires_at <= now()`,
    );
    const due = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM outgoing_messages
       WHERE state = 'waiting' AND next_attempt_at <= now() - make_interval(secs => $1)
       ORDER BY next_attempt_at LIMIT $2`,
      [FORGOTTEN_SECONDS, BATCH],
    );
    for (const { id } of due) await this.trySend(id);
    await this.dataSource.query('DELETE FROM outgoing_messages WHERE finished_at < now() - make_interval(days => $1)', [
      KEPT_DAYS,
    ]);
  }

  private async deliver({ id, channel, template, language, recipient, params_sealed }: Claimed): Promise<void> {
    const place = { table: 'outgoing_messages', column: 'params_sealed', row: id };
    const params: unknown = JSON.parse(this.sealing.openText(params_sealed, place));
    if (template === WRITTEN_MAIL) return this.deliverWritten(id, recipient, params as WrittenMail);
    const { subject, text, html } = renderMessage(template, language || 'en', params as MessageParams[TemplateName]);
    if (channel === 'mail') await this.mail.send({ id, to: recipient, subject, text, html, language });
    else await this.sms.send({ id, to: recipient, text });
  }

  private async deliverWritten(id: string, recipient: string, mail: WrittenMail): Promise<void> {
    const { to, cc, messageId, replyTo, subject, text, html } = mail;
    const attachments = [];
    try {
      for (const { filename, mimeType, storageKey } of mail.attachments) {
        const { stream } = await this.files.open(storageKey);
        attachments.push({ filename, contentType: mimeType, content: stream });
      }
      const content = { subject, text, html, language: '', messageId, replyTo, attachments };
      await this.mail.send({ id, to: recipient, addressedTo: { to, cc }, ...content });
    } catch (error) {
      if (!(error instanceof FileMissingError)) throw error;
      throw new DeliveryError('An attachment is not there any more.', true, error);
    } finally {
      for (const { content } of attachments) content.destroy();
    }
  }

  private async putOff({ id, template, attempts }: Claimed, error: unknown): Promise<void> {
    // Anything but a provider's refusal may hold the message itself, so only its kind is told.
    const reason = error instanceof DeliveryError ? error.message : `It failed (${(error as Error).name}).`;
    const delay = BACKOFF_SECONDS[attempts - 1];
    if (delay === undefined || (error instanceof DeliveryError && error.isPermanent)) {
      this.logger.error(`The message ${id} (${template}) is given up after ${attempts} tries: ${reason}`);
      return this.finish(id, 'failed', reason);
    }
    this.logger.warn(`The message ${id} (${template}) is tried again in about ${delay} s: ${reason}`);
    const seconds = delay * (0.8 + Math.random() * 0.4);
    await this.dataSource.transaction(async (tx) => {
      await tx.query(
        `UPDATE outgoing_messages SET next_attempt_at = now() + make_interval(secs => $2), last_error = $3
         WHERE id = $1 AND state = 'waiting'`,
        [id, seconds, reason],
      );
      const job = { messageId: id, attempt: attempts };
      await this.outbox.enqueue(sendMessageJob, job, tx, { delayMs: seconds * 1000 + 100 });
    });
  }

  private async finish(id: string, state: 'sent' | 'failed', error: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE outgoing_messages SET state = $2, last_error = $3, params_sealed = NULL, finished_at = now()
       WHERE id = $1 AND state = 'waiting'`,
      [id, state, error],
    );
  }
}
