import type { OwnedData } from '@app/erasure';
import { FileStorage } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Copies of one's data. */
@Injectable()
export class OwnedExports implements OwnedData {
  readonly name = 'exports';
  readonly tables = ['exports'];

  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
  ) {}

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM exports WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const files = await tx.query<{ key: string }[]>('SELECT storage_key AS key FROM exports WHERE user_id = $1', [
      userId,
    ]);
    for (const { key } of files) await this.storage.delete(key);
    await tx.query('DELETE FROM exports WHERE user_id = $1', [userId]);
    return files.length;
  }
}
