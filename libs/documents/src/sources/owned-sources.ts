import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Sources with their secrets and lists of items. They go before the documents, so that none comes in any more. */
@Injectable()
export class OwnedSources implements OwnedData, OnModuleInit {
  readonly name = 'sources';
  readonly tables = ['external_sources', 'external_items'];
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
      'SELECT count(*)::int AS count FROM external_sources WHERE owner_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM external_sources WHERE id IN (SELECT id FROM external_sources WHERE owner_id = $1 LIMIT 1)',
      [userId],
    );
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT jsonb_build_object('id', id, 'type', type, 'name', name, 'config', config, 'folder', folder,
         'schedule_minutes', schedule_minutes, 'created_at', created_at, 'last_synced_at', last_synced_at) AS row
       FROM external_sources WHERE owner_id = $1 ORDER BY created_at, id`,
      [userId],
    );
    if (rows.length === 0) return;
    const sources = rows.map(({ row }) => row);
    yield { path: 'sources.json', content: JSON.stringify(sources, null, 2) };
  }
}
