import { findContact } from '@app/auth';
import { removeFolderSoon } from '@app/entitlements';
import { ErasureRegistry, type OwnedData } from '@app/erasure';
import { MailTransport, SmsTransport } from '@app/integrations';
import { attachmentFolder, MessagesOfAccount } from '@app/messages';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

const BATCH = 500;

/** Messages about an account, and what the outbox folder keeps of them. */
@Injectable()
export class OwnedMessages implements OwnedData, OnModuleInit {
  readonly name = 'messages';
  readonly tables = ['outgoing_messages'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly messages: MessagesOfAccount,
    private readonly mail: MailTransport,
    private readonly sms: SmsTransport,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  countFor(userId: number): Promise<number> {
    return this.messages.count(userId);
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const removed = await this.messages.remove(userId, BATCH, tx);
    // The sweeper finds them; nothing waits for them any more.
    await removeFolderSoon(tx, attachmentFolder(userId));
    const account = await findContact(tx, userId);
    const mailed = removed.filter(({ channel }) => channel === 'mail').map(({ recipient }) => recipient);
    const texted = removed.filter(({ channel }) => channel === 'sms').map(({ recipient }) => recipient);
    for (const address of new Set([...mailed, ...(account ? [account.email] : [])]))
      await this.mail.forgetRecipient(address);
    for (const phone of new Set([...texted, ...(account?.phone ? [account.phone] : [])]))
      await this.sms.forgetRecipient(phone);
    return removed.length;
  }
}
