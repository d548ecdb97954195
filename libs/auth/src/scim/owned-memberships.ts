import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Groups of an account's directory. */
@Injectable()
export class OwnedMemberships implements OwnedData, OnModuleInit {
  readonly name = 'group memberships';
  readonly tables = ['scim_group_members'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM scim_group_members WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM scim_group_members WHERE user_id = $1', [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const groups = await this.dataSource.query<object[]>(
      `SELECT g.display_name AS name FROM scim_group_members m JOIN scim_groups g ON g.id = m.group_id
       WHERE m.user_id = $1 ORDER BY g.display_name`,
      [userId],
    );
    if (groups.length > 0) yield { path: 'groups.json', content: JSON.stringify(groups, null, 2) };
  }
}
