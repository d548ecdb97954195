import { type MessageParams, Messages, type TemplateName } from '@app/messages';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Recipient } from './sharing-people.js';

type Notice = Extract<TemplateName, `workflow-${string}`>;

/** Mails about shared workflows. They are written in the caller's transaction; `publish` the receipts after commit. */
@Injectable()
export class WorkflowNotices {
  constructor(private readonly messages: Messages) {}

  async write<N extends Notice>(
    template: N,
    to: Recipient,
    params: Omit<MessageParams[N], 'name'>,
    tx: EntityManager,
  ): Promise<OutboxReceipt[]> {
    if (to.email === '') return [];
    const complete = { name: to.firstName, ...params } as MessageParams[N];
    const { email, language, id: userId } = to;
    const message = { channel: 'mail' as const, template, language, to: email, userId, params: complete };
    return [await this.messages.enqueue(message, tx)];
  }

  publish(receipts: readonly OutboxReceipt[]): void {
    this.messages.publish(...receipts);
  }
}

/** As people read it in a mail: `Ada Lovelace (ada)`. */
export function toDisplayName({ firstName, lastName, username }: Recipient): string {
  const name = `${firstName} ${lastName}`.trim();
  return name === '' ? username : `${name} (${username})`;
}
