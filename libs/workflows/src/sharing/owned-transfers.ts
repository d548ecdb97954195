import { ErasureRegistry, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Offers that the account made or got. */
@Injectable()
export class OwnedTransfers implements OwnedData, OnModuleInit {
  readonly name = 'workflow_transfers';
  readonly tables = ['workflow_transfers'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM workflow_transfers WHERE from_user_id = $1 OR to_user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM workflow_transfers WHERE from_user_id = $1 OR to_user_id = $1',
      [userId],
    );
    return count;
  }
}
