import { ConflictError, NotFoundError } from '@app/common';
import { FileMissingError, FileStorage } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { TabularState, TabularStore } from '../records/tabular-file-columns.js';
import type { TabularSheet, TabularTable } from '../records/tabular-table.js';

/** A built database on this machine. Open it read-only, and `release` it when done. */
export interface OpenTabularDatabase {
  uid: string;
  store: TabularStore;
  filename: string;
  /** Local path of the DuckDB file. After `release` it may be gone. */
  path: string;
  /** Names what stands in the file: the same name, the same rows. Absent for what was put together for one question. */
  contents?: string;
  /** Lines of JSON with the one table, instead. */
  isRows?: true;
  tables: TabularTable[];
  sheets: TabularSheet[];
  release(): Promise<void>;
}

interface Row {
  store: TabularStore;
  filename: string;
  databaseKey: string | null;
  processingState: TabularState;
  tables: TabularTable[];
  sheets: TabularSheet[];
}

/** The DuckDB databases that were built from table files. */
@Injectable()
export class TabularDatabases {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
  ) {}

  /**
   * While a file is imported again its former database answers.
   * @param store only of this store; of either when absent
   * @throws NotFoundError for what the owner does not have; ConflictError `document_not_ready` with `processing_state`
   *   and `uids`; FileMissingError
   */
  async open(ownerId: number, uid: string, store?: TabularStore): Promise<OpenTabularDatabase> {
    for (let missing: string | null = null; ;) {
      const { databaseKey, ...file } = await this.find(ownerId, uid, store);
      try {
        return { uid, ...file, contents: databaseKey, ...(await this.storage.localPath(databaseKey)) };
      } catch (error) {
        // Between the two the file may have been deleted, or imported anew.
        if (!(error instanceof FileMissingError) || databaseKey === missing) throw error;
        missing = databaseKey;
      }
    }
  }

  private async find(ownerId: number, uid: string, store: TabularStore | undefined) {
    const [row] = await this.dataSource.query<Row[]>(
      `SELECT store, filename, database_key AS "databaseKey", processing_state AS "processingState", tables, sheets
       FROM tabular_files WHERE uid = $1 AND owner_id = $2 AND store = coalesce($3, store)`,
      [uid, ownerId, store ?? null],
    );
    if (!row) throw tabularFileNotFound();
    const { databaseKey, processingState, ...file } = row;
    if (databaseKey === null)
      throw new ConflictError('The file is not imported yet.', {
        code: 'document_not_ready',
        extra: { processing_state: processingState, uids: [uid] },
      });
    return { databaseKey, ...file };
  }
}

export const tabularFileNotFound = () => new NotFoundError('File not found.', { code: 'document_not_found' });
