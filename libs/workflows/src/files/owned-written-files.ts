import type { ExportedFile, OwnedData } from '@app/erasure';
import { FileStorage } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Files of the File Writer. */
@Injectable()
export class OwnedWrittenFiles implements OwnedData {
  readonly name = 'files';
  readonly tables = ['written_files'];

  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
  ) {}

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM written_files WHERE owner_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const files = await tx.query<{ key: string }[]>(
      'SELECT storage_key AS key FROM written_files WHERE owner_id = $1',
      [userId],
    );
    for (const { key } of files) await this.storage.delete(key);
    await tx.query('DELETE FROM written_files WHERE owner_id = $1', [userId]);
    return files.length;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const files = await this.dataSource.query<{ path: string; key: string }[]>(
      'SELECT path, storage_key AS key FROM written_files WHERE owner_id = $1 ORDER BY path',
      [userId],
    );
    for (const { path, key } of files)
      yield { path: `files/${path}`, content: async () => (await this.storage.open(key)).stream };
  }
}
