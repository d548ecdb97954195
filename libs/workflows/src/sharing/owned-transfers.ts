import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
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

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT t.workflow_id, w.name AS workflow, f.username AS "from", r.username AS "to", t.created_at, t.expires_at
       FROM workflow_transfers t JOIN workflows w ON w.id = t.workflow_id
       JOIN users f ON f.id = t.from_user_id JOIN users r ON r.id = t.to_user_id
       WHERE t.from_user_id = $1 OR t.to_user_id = $1 ORDER BY t.created_at`,
      [userId],
    );
    if (rows.length > 0) yield { path: 'workflow-transfers.json', content: JSON.stringify(rows, null, 2) };
  }
}
