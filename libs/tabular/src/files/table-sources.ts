import type { DataSource } from 'typeorm';

/** A table file as a source of statements. */
export interface TableSource {
  uid: string;
  filename: string;
  /** Another one after each import; null before the first. */
  databaseKey: string | null;
}

/** Those of the uids that are files of the owner, of either store, imported or not. */
export function findTableSources(
  dataSource: DataSource,
  ownerId: number,
  uids: readonly string[],
): Promise<TableSource[]> {
  return dataSource.query<TableSource[]>(
    `SELECT uid, filename, database_key AS "databaseKey" FROM tabular_files
     WHERE owner_id = $1 AND uid = ANY ($2::uuid[])`,
    [ownerId, uids],
  );
}
