import type { DataSource } from 'typeorm';

/** A table file as programs list it, in wire names. */
export interface PagedTableFile {
  uid: string;
  filename: string;
  store: string;
  state: string;
  tables: { name: string; row_count: number; columns: { name: string; type: string }[] }[];
}

/** The owner's table files of both stores, newest first. */
export function pageTableFiles(
  dataSource: DataSource,
  ownerId: number,
  limit: number,
  offset: number,
): Promise<PagedTableFile[]> {
  return dataSource.query<PagedTableFile[]>(
    `SELECT f.uid, f.filename, f.store, f.processing_state AS state, coalesce((
       SELECT jsonb_agg(jsonb_build_object('name', t ->> 'name', 'row_count', t -> 'rowCount', 'columns', (
         SELECT coalesce(jsonb_agg(jsonb_build_object('name', c ->> 'name', 'type', c ->> 'type')), '[]')
         FROM jsonb_array_elements(t -> 'columns') c)))
       FROM jsonb_array_elements(f.tables) t), '[]') AS tables
     FROM tabular_files f WHERE f.owner_id = $1 ORDER BY f.created_at DESC, f.uid LIMIT $2 OFFSET $3`,
    [ownerId, limit, offset],
  );
}
