import { ErasureRegistry, type ExportedColumns, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const COLUMNS: ExportedColumns = {
  table: 'organization_invitations',
  exported: ['id', 'organization_id', 'address', 'role', 'inviter_id', 'created_at', 'expires_at'],
  withheld: { token_hash: 'a digest of a secret' },
};

interface Sent {
  id: string;
  organization_id: number;
  address: string;
  role: string;
  inviter_id: number;
  created_at: Date;
  expires_at: Date;
}

/** Those it sent, and those that name its address. */
const OF_ACCOUNT = 'i.inviter_id = $1 OR i.address = (SELECT lower(email) FROM users WHERE id = $1)';

/** Invitations to organisations that an account sent, or was sent. */
@Injectable()
export class OwnedOrganizationInvitations implements OwnedData, OnModuleInit {
  readonly name = 'organization invitations';
  readonly tables = ['organization_invitations'];
  readonly columns = [COLUMNS];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM organization_invitations i WHERE ${OF_ACCOUNT}`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(`DELETE FROM organization_invitations i WHERE ${OF_ACCOUNT}`, [
      userId,
    ]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<Sent[]>(
      `SELECT i.id, i.organization_id, i.address, i.role, i.inviter_id, i.created_at, i.expires_at
       FROM organization_invitations i WHERE ${OF_ACCOUNT} ORDER BY i.created_at, i.id`,
      [userId],
    );
    if (rows.length > 0) yield { path: 'organization-invitations.json', content: JSON.stringify(rows, null, 2) };
  }
}
