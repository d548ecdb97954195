import { importTableJob } from '@app/contracts';
import { eachExported, exportedArray, type ExportedFile, type OwnedData } from '@app/erasure';
import { FileStorage } from '@app/integrations';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const BATCH = 20;
/** Rows that an export reads at once. */
const EXPORTED_PAGE = 200;

/** Files of the database and spreadsheet stores, with the databases built from them. */
@Injectable()
export class OwnedTabularFiles implements OwnedData {
  readonly name = 'tabular_files';
  readonly tables = ['tabular_files'];

  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly outbox: Outbox,
  ) {}

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM tabular_files WHERE owner_id = $1',
      [userId],
    );
    return count;
  }

  /** Files go before their rows do: a crash in between leaves rows, which are found again. */
  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const files = await tx.query<{ uid: string; fence: number; storage_key: string; database_key: string | null }[]>(
      'SELECT uid, fence, storage_key, database_key FROM tabular_files WHERE owner_id = $1 LIMIT $2 FOR UPDATE',
      [userId, BATCH],
    );
    const jobs = files.map(({ uid, fence }) => ({ key: [uid], fence }));
    await this.outbox.withdraw(importTableJob, jobs, tx);
    for (const { storage_key, database_key } of files) {
      await this.storage.delete(storage_key);
      if (database_key !== null) await this.storage.delete(database_key);
    }
    await tx.query('DELETE FROM tabular_files WHERE uid = ANY($1::uuid[])', [files.map(({ uid }) => uid)]);
    return files.length;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const read = (after: string | null) =>
      this.dataSource.query<{ cursor: string; filename: string; storage_key: string; row: unknown }[]>(
        `SELECT uid AS cursor, filename, storage_key,
           jsonb_build_object('uid', uid, 'store', store, 'filename', filename, 'folder', folder, 'size_bytes', size_bytes,
             'sha256', sha256, 'tables', tables, 'warnings', warnings, 'created_at', created_at) AS row
         FROM tabular_files WHERE owner_id = $1 AND ($2::uuid IS NULL OR uid > $2) ORDER BY uid LIMIT ${EXPORTED_PAGE}`,
        [userId, after],
      );
    yield { path: 'tables/index.json', content: exportedArray(read) };
    for await (const { cursor: uid, filename, storage_key } of eachExported(read))
      yield { path: `tables/${uid}/${filename}`, content: async () => (await this.storage.open(storage_key)).stream };
  }
}
