import { InvalidRequestError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StoredFiles } from '../records/stored-files.port.js';
import type { TabularStore } from '../records/tabular-file-columns.js';

const MAX_FOLDER_LENGTH = 1000;

/** What happens to many files of a store at once, and what is final. Every method is scoped to the owner. */
@Injectable()
export class TabularFolders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storedFiles: StoredFiles,
  ) {}

  /** Removes row, upload and database for good. @returns whether this call did it. */
  async deleteFile(ownerId: number, store: TabularStore, uid: string): Promise<boolean> {
    return (await this.remove('owner_id = $1 AND store = $2 AND uid = $3', [ownerId, store, uid])) === 1;
  }

  /**
   * Removes the files of a folder and of those below it; '' is the files of the root alone
   * (docs/contract/tables.md#files).
   * @param folder normalised. @returns how many files. @throws NotFoundError when there is none
   */
  async deleteFolder(ownerId: number, store: TabularStore, folder: string): Promise<number> {
    const below = folder === '' ? '' : ` OR starts_with(folder, $3 || '/')`;
    const count = await this.remove(`owner_id = $1 AND store = $2 AND (folder = $3${below})`, [ownerId, store, folder]);
    if (count === 0) throw folderNotFound();
    return count;
  }

  /**
   * Moves all that is in `from` and below it, in one statement: two moves at once each take what they find.
   * @param from normalised, not the root. @param to normalised; '' is the root
   * @returns how many files. @throws InvalidRequestError `folder_into_itself`, NotFoundError
   */
  async move(ownerId: number, store: TabularStore, from: string, to: string): Promise<number> {
    if (to === from || to.startsWith(`${from}/`))
      throw new InvalidRequestError('A folder cannot be moved into itself.', { code: 'folder_into_itself' });
    return this.dataSource.transaction(async (tx) => {
      const [rows, count] = await tx.query<[{ length: number }[], number]>(
        `UPDATE tabular_files SET folder = ltrim($4 || substr(folder, length($3) + 1), '/'), updated_at = now()
         WHERE owner_id = $1 AND store = $2 AND (folder = $3 OR starts_with(folder, $3 || '/'))
         RETURNING length(folder)::int AS length`,
        [ownerId, store, from, to],
      );
      if (count === 0) throw folderNotFound();
      if (rows.some(({ length }) => length > MAX_FOLDER_LENGTH))
        throw new InvalidRequestError(`A folder path has at most ${MAX_FOLDER_LENGTH} characters.`, {
          code: 'folder_too_long',
        });
      return count;
    });
  }

  private async remove(condition: string, values: unknown[]): Promise<number> {
    const { keys, count } = await this.dataSource.transaction(async (tx) => {
      const [rows, removed] = await tx.query<[{ storage_key: string; database_key: string | null }[], number]>(
        `DELETE FROM tabular_files WHERE ${condition} RETURNING storage_key, database_key`,
        values,
      );
      const released = rows.flatMap((row) => [row.storage_key, row.database_key]).filter((key) => key !== null);
      await this.storedFiles.release(released, tx);
      return { keys: released, count: removed };
    });
    await this.storedFiles.remove(keys);
    return count;
  }
}

const folderNotFound = () => new NotFoundError('The folder is empty or unknown.', { code: 'folder_not_found' });
