import { newTimeOrderedId } from '@app/common';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { SealingService } from '@app/secrets';
import { WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { messageWork } from './message-work.js';
import type { Language, MessageParams, TemplateName } from './templates/template.js';
import { WRITTEN_MAIL, type WrittenMailDelivery } from './written-mail.js';

export interface NewMessage<T extends TemplateName> {
  channel: 'mail' | 'sms';
  template: T;
  language: Language;
  /** An e-mail address, or the digits of a phone number. */
  to: string;
  /** Whose account it is about; null for an address without one. */
  userId: number | null;
  params: MessageParams[T];
  /** Seconds after which it is not worth sending. */
  usefulSeconds?: number;
}

/** Asks for mails and text messages. The workflow-runner sends them, never the request. */
@Injectable()
export class Messages {
  constructor(
    private readonly outbox: Outbox,
    private readonly claims: WorkClaims,
    private readonly sealing: SealingService,
  ) {}

  /**
   * Writes the message in the caller's transaction. Call `publish` with the receipt after commit; if nobody does, the
   * relay sends it some seconds later.
   */
  async enqueue<T extends TemplateName>(message: NewMessage<T>, tx: EntityManager): Promise<OutboxReceipt> {
    const id = newTimeOrderedId();
    await tx.query(
      `INSERT INTO outgoing_messages (id, channel, template, language, recipient, user_id, params_sealed, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))`,
      [
        id,
        message.channel,
        message.template,
        message.language,
        message.to,
        message.userId,
        this.seal(id, message.params),
        message.usefulSeconds ?? null,
      ],
    );
    return this.claims.notify(messageWork, [id], 0, tx);
  }

  /** As `enqueue`, for a mail that no template words. @returns null when it was asked for before */
  async enqueueWritten({ id, recipient, userId, mail }: WrittenMailDelivery, tx: EntityManager) {
    const added = await tx.query<unknown[]>(
      `INSERT INTO outgoing_messages (id, channel, template, language, recipient, user_id, params_sealed)
       VALUES ($1, 'mail', $2, '', $3, $4, $5) ON CONFLICT (id) DO NOTHING RETURNING id`,
      [id, WRITTEN_MAIL, recipient, userId, this.seal(id, mail)],
    );
    return added.length === 0 ? null : this.claims.notify(messageWork, [id], 0, tx);
  }

  /** Whether this message was enqueued, at any time since messages are kept. */
  async isKnown(id: string | undefined, tx: EntityManager): Promise<boolean> {
    const rows = await tx.query<unknown[]>('SELECT FROM outgoing_messages WHERE id = $1', [id]);
    return rows.length > 0;
  }

  /** Deliveries of such mails that the user has asked for since then. Lock the user's row to count and add as one. */
  async countWritten(userId: number, sinceHours: number, tx: EntityManager): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM outgoing_messages
       WHERE user_id = $1 AND template = $2 AND created_at > now() - make_interval(hours => $3)`,
      [userId, WRITTEN_MAIL, sinceHours],
    );
    return row?.count ?? 0;
  }

  /** After commit; waits until the queue has it, for processes that end soon. */
  async publishNow(...receipts: OutboxReceipt[]): Promise<void> {
    if (receipts.length > 0) await this.outbox.publish(receipts);
  }

  /** After commit; returns at once. */
  publish(...receipts: OutboxReceipt[]): void {
    this.outbox.publishSoon(receipts);
  }

  private seal(id: string, params: object): Buffer {
    const place = { table: 'outgoing_messages', column: 'params_sealed', row: id };
    return this.sealing.seal(JSON.stringify(params), place);
  }
}
