import { ErasureRegistry, exportedArray, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { PermanentLinkRecord } from './permanent-links.js';

const PAGE = 1000;

/** An account's public addresses of its files. */
@Injectable()
export class OwnedLinks implements OwnedData, OnModuleInit {
  readonly name = 'links';
  readonly tables = ['permanent_links'];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM permanent_links WHERE owner_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM permanent_links WHERE owner_id = $1', [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    if ((await this.countFor(userId)) === 0) return;
    const read = async (after: string | null) => {
      const links = await this.dataSource.query<Omit<PermanentLinkRecord, 'token'>[]>(
        `SELECT uid, media_path AS "mediaPath", name, artifact_uid AS "artifactUid", created_at AS "createdAt",
           last_accessed_at AS "lastAccessedAt", access_count AS "accessCount"
         FROM permanent_links WHERE owner_id = $1 AND ($2::uuid IS NULL OR uid > $2) ORDER BY uid LIMIT ${PAGE}`,
        [userId, after],
      );
      return links.map((row) => ({ cursor: row.uid, row }));
    };
    yield { path: 'links.json', content: exportedArray(read) };
  }
}
