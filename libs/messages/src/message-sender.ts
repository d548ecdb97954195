import { DeliveryError, FileMissingError, FileStorage, MailTransport, SmsTransport } from '@app/integrations';
import { SealingService } from '@app/secrets';
import { type Claim, GiveUpError, TryAgainError, WorkClaims } from '@app/work';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type ClaimedMessage, endsAs } from './message-work.js';
import { renderMessage } from './templates/render.js';
import type { MessageParams, TemplateName } from './templates/template.js';
import { WRITTEN_MAIL, type WrittenMail } from './written-mail.js';

const KEPT_DAYS = 30;

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
    private readonly claims: WorkClaims,
    private readonly mail: MailTransport,
    private readonly sms: SmsTransport,
    private readonly files: FileStorage,
  ) {}

  /** One try. */
  async send(claim: Claim<ClaimedMessage>, signal: AbortSignal): Promise<void> {
    const { row } = claim;
    signal.throwIfAborted();
    if (!row.isLate) await this.deliver(row).catch((error: unknown) => this.refuse(row, error));
    await this.claims.finish(claim, { set: () => endsAs(row.isLate ? 'expired' : 'sent') });
  }

  /** What need not be sent, or kept, any longer. */
  async sweep(): Promise<void> {
    await this.dataSource.query(
      `UPDATE outgoing_messages SET ${endsAs('expired')}, next_attempt_at = NULL, lease_owner = NULL, leased_until = NULL
       WHERE state = 'waiting' AND expires_at <= now() AND (leased_until IS NULL OR leased_until <= now())`,
    );
    await this.dataSource.query('DELETE FROM outgoing_messages WHERE finished_at < now() - make_interval(days => $1)', [
      KEPT_DAYS,
    ]);
  }

  private async deliver({ id, channel, template, language, recipient, paramsSealed }: ClaimedMessage): Promise<void> {
    const place = { table: 'outgoing_messages', column: 'params_sealed', row: id };
    const params: unknown = JSON.parse(this.sealing.openText(paramsSealed, place));
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

  /** @throws what the retry rules go by; it neither holds the message nor the address */
  private refuse({ id, template }: ClaimedMessage, error: unknown): never {
    // Anything but a provider's refusal may hold the message itself, so only its kind is told.
    const reason = error instanceof DeliveryError ? error.message : `It failed (${(error as Error).name}).`;
    this.logger.warn(`The message ${id} (${template}) was not sent: ${reason}`);
    if (error instanceof DeliveryError && error.isPermanent) throw new GiveUpError(reason, error.code);
    throw new TryAgainError(reason, { code: 'not_delivered' });
  }
}
