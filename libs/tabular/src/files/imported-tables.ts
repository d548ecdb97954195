import type { DataSource } from 'typeorm';
import type { TabularTable } from '../records/tabular-table.js';

/** A file whose tables can be queried. */
export interface ImportedTables {
  uid: string;
  filename: string;
  store: string;
  tables: TabularTable[];
}

/** Imported files of an owner, newest first, with this part in their name; all for ''. */
export function listImportedTables(
  dataSource: DataSource,
  ownerId: number,
  part: string,
  limit: number,
): Promise<ImportedTables[]> {
  return dataSource.query<ImportedTables[]>(
    `SELECT uid, filename, store, tables FROM tabular_files
     WHERE owner_id = $1 AND processing_state = 'completed'
       AND ($2 = '' OR position(lower($2) IN lower(filename)) > 0)
     ORDER BY created_at DESC LIMIT $3`,
    [ownerId, part, limit],
  );
}
