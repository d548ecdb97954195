import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { MetadataStore } from './metadata.store.js';

@Injectable()
export class OwnedMetadata implements OwnedData, OnModuleInit {
  readonly name = 'metadata';
  readonly tables = ['user_metadata'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
    private readonly store: MetadataStore,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM user_metadata WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM user_metadata WHERE user_id = $1', [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const objects = await this.store.list(userId);
    yield {
      path: 'metadata.json',
      content: JSON.stringify(
        objects.map(({ data }) => data),
        null,
        2,
      ),
    };
  }
}
