import { ErasureRegistry, type OwnedData } from '@app/erasure';
import { MailTransport, SmsTransport } from '@app/integrations';
import { attachmentFolder } from '@app/messages';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const BATCH = 500;

/** Messages about an account, and what the outbox folder keeps of them. */
@Injectable()
export class OwnedMessages implements OwnedData, OnModuleInit {
  readonly name = 'messages';
  readonly tables = ['outgoing_messages'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
    private readonly mail: MailTransport,
    private readonly sms: SmsTransport,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM outgoing_messages WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [removed] = await tx.query<[{ channel: string; recipient: string }[], number]>(
      `DELETE FROM outgoing_messages WHERE id IN (SELECT id FROM outgoing_messages WHERE user_id = $1 LIMIT $2)
       RETURNING channel, recipient`,
      [userId, BATCH],
    );
    // The sweeper finds them; nothing waits for them any more.
    await tx.query('UPDATE loose_files SET removable_at = now() WHERE starts_with(storage_key, $1)', [
      attachmentFolder(userId),
    ]);
    const [account] = await tx.query<{ email: string; phone: string | null }[]>(
      'SELECT email, phone FROM users WHERE id = $1',
      [userId],
    );
    const mailed = removed.filter(({ channel }) => channel === 'mail').map(({ recipient }) => recipient);
    const texted = removed.filter(({ channel }) => channel === 'sms').map(({ recipient }) => recipient);
    for (const address of new Set([...mailed, ...(account ? [account.email] : [])]))
      await this.mail.forgetRecipient(address);
    for (const phone of new Set([...texted, ...(account?.phone ? [account.phone] : [])]))
      await this.sms.forgetRecipient(phone);
    return removed.length;
  }
}
