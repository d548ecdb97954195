import { FileStorage } from '@app/integrations';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Longer than any upload takes from its first byte in the storage to its row. */
const UPLOAD_GRACE_SECONDS = 3600;
const BATCH = 100;

/** Files without a row: announced before they are written, and again when their row is gone. */
@Injectable()
export class LooseFiles {
  private readonly logger = new Logger(LooseFiles.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
  ) {}

  /** Before a file is written: if no row follows, a sweeper removes it after that time, an hour unless told. */
  async announce(storageKey: string, seconds = UPLOAD_GRACE_SECONDS): Promise<void> {
    await announceLooseFile(this.dataSource, storageKey, seconds);
  }

  /**
   * In the transaction that makes the row which owns the file.
   * @returns false when the sweeper has taken the file: the transaction must not commit.
   */
  async adopt(storageKey: string, tx: EntityManager): Promise<boolean> {
    const [, count] = await tx.query<[unknown[], number]>('DELETE FROM loose_files WHERE storage_key = $1', [
      storageKey,
    ]);
    return count === 1;
  }

  /** In the transaction that deletes the rows. */
  async release(storageKeys: string[], tx: EntityManager): Promise<void> {
    await releaseLooseFiles(storageKeys, tx);
  }

  /** Removes what is due. @returns how many files. */
  async removeDue(): Promise<number> {
    return this.remove(await this.due());
  }

  /** Removes these at once; what fails stays for the sweeper. */
  async remove(storageKeys: string[]): Promise<number> {
    let removed = 0;
    for (const key of storageKeys) {
      try {
        // The row's lock keeps a slow upload from adopting the file while it disappears.
        removed += await this.dataSource.transaction(async (tx) => {
          const locked = await tx.query<unknown[]>(
            'SELECT 1 FROM loose_files WHERE storage_key = $1 AND removable_at <= now() FOR UPDATE SKIP LOCKED',
            [key],
          );
          if (locked.length === 0) return 0;
          await this.storage.delete(key);
          await tx.query('DELETE FROM loose_files WHERE storage_key = $1', [key]);
          return 1;
        });
      } catch (error) {
        this.logger.warn(`A file without a row stays for now: ${String(error)}`);
      }
    }
    return removed;
  }

  private async due(): Promise<string[]> {
    const rows = await this.dataSource.query<{ storage_key: string }[]>(
      'SELECT storage_key FROM loose_files WHERE removable_at <= now() ORDER BY removable_at LIMIT $1',
      [BATCH],
    );
    return rows.map((row) => row.storage_key);
  }
}

/** `LooseFiles.announce`, for whoever has no need of the rest. */
export async function announceLooseFile(
  db: DataSource,
  storageKey: string,
  seconds = UPLOAD_GRACE_SECONDS,
): Promise<void> {
  await db.query(
    `INSERT INTO loose_files (storage_key, removable_at) VALUES ($1, now() + make_interval(secs => $2))
     ON CONFLICT (storage_key) DO UPDATE SET removable_at = excluded.removable_at`,
    [storageKey, seconds],
  );
}

/** `LooseFiles.release`, for whoever has no need of the rest. */
export async function releaseLooseFiles(storageKeys: readonly string[], tx: EntityManager): Promise<void> {
  await tx.query(
    `INSERT INTO loose_files (storage_key, removable_at) SELECT key, now() FROM unnest($1::text[]) AS key
     ON CONFLICT (storage_key) DO UPDATE SET removable_at = now()`,
    [storageKeys],
  );
}

/** What was announced in a folder, and never adopted, is to be removed by the sweeper at its next round. */
export async function removeFolderSoon(tx: EntityManager, folder: string): Promise<void> {
  await tx.query('UPDATE loose_files SET removable_at = now() WHERE starts_with(storage_key, $1)', [folder]);
}
