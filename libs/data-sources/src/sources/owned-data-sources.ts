import { ErasureRegistry, exportedRow, type ExportedColumns, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const COLUMNS: ExportedColumns = {
  table: 'data_sources',
  exported: [
    'id',
    'name',
    'type',
    'host',
    'port',
    'database',
    'username',
    'ssl_mode',
    'schemas',
    'revision',
    'status',
    'last_ok_at',
    'last_error',
    'created_at',
    'updated_at',
  ],
  withheld: { owner_id: 'whose copy it is', secret_sealed: 'a secret, which leaves this house for its database alone' },
};

/** Connected databases with their secrets. What they hold is not ours. */
@Injectable()
export class OwnedDataSources implements OwnedData, OnModuleInit {
  readonly name = 'data_sources';
  readonly tables = ['data_sources'];
  readonly columns = [COLUMNS];
  readonly order = 10;

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM data_sources WHERE owner_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM data_sources WHERE owner_id = $1', [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(COLUMNS, 's')} AS row FROM data_sources s WHERE owner_id = $1 ORDER BY id`,
      [userId],
    );
    if (rows.length === 0) return;
    yield {
      path: 'data-sources.json',
      content: JSON.stringify(
        rows.map(({ row }) => row),
        null,
        2,
      ),
    };
  }
}
