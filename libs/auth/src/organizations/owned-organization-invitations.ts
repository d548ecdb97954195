import { type ExportedColumns, ErasureRegistry, type ExportedFile, exportedRow, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const COLUMNS: ExportedColumns = {
  table: 'organization_invitations',
  exported: ['id', 'organization_id', 'address', 'role', 'inviter_id', 'created_at', 'expires_at'],
  withheld: { token_hash: 'a digest of a secret' },
};

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
    const rows = await this.dataSource.query<object[]>(
      `SELECT ${exportedRow(COLUMNS, 'i')} AS invitation FROM organization_invitations i WHERE ${OF_ACCOUNT}
       ORDER BY i.created_at, i.id`,
      [userId],
    );
    if (rows.length > 0) yield { path: 'organization-invitations.json', content: JSON.stringify(rows, null, 2) };
  }
}
