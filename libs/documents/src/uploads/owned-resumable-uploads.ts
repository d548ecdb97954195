import { ErasureRegistry, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ResumableFiles } from './resumable-files.js';

const BATCH = 100;

/** Uploads under way: their bytes and what their clients said of them. */
@Injectable()
export class OwnedResumableUploads implements OwnedData, OnModuleInit {
  readonly name = 'resumable uploads';
  readonly tables = ['resumable_uploads'];
  /** Before the documents, so that none is made of them afterwards. */
  readonly order = 40;

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
    private readonly files: ResumableFiles,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM resumable_uploads WHERE owner_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const rows = await tx.query<{ id: string }[]>(
      'SELECT id FROM resumable_uploads WHERE owner_id = $1 LIMIT $2 FOR UPDATE',
      [userId, BATCH],
    );
    const ids = rows.map(({ id }) => id);
    for (const id of ids) await this.files.remove(id);
    await tx.query('DELETE FROM resumable_uploads WHERE id = ANY($1::uuid[])', [ids]);
    return ids.length;
  }
}
