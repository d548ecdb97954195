import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SentInvitations } from './sent-invitations.js';

/** What an account shared with addresses that nobody has confirmed yet, and what others did with its address. */
@Injectable()
export class OwnedInvitations implements OwnedData, OnModuleInit {
  readonly name = 'share_invitations';
  readonly tables = ['share_invitations'];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
    private readonly sent: SentInvitations,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM share_invitations WHERE ${OF_ACCOUNT}`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(`DELETE FROM share_invitations WHERE ${OF_ACCOUNT}`, [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.sent.list(userId);
    if (rows.length > 0) yield { path: 'share-invitations.json', content: JSON.stringify(rows, null, 2) };
  }
}

/** Those it sent, and those that name its address. */
const OF_ACCOUNT = 'inviter_id = $1 OR address = (SELECT lower(email) FROM users WHERE id = $1)';
