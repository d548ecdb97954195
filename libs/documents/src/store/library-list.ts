import { visibleDocumentUids } from '@app/access';
import type { DataSource } from 'typeorm';
import { documentColumns, type DocumentRecord } from '../state/document-columns.js';

/** Null asks for anything. */
export interface LibraryFilter {
  /** One's own folder, with the folders in it. */
  folder: string | null;
  namePart: string | null;
  tag: string | null;
  /** Inclusive; ISO 8601. */
  createdFrom: string | Date | null;
  limit: number;
}

/** Documents that the viewer may read, newest first. */
export function listLibrary(
  dataSource: DataSource,
  viewerId: number,
  { folder, namePart, tag, createdFrom, limit }: LibraryFilter,
): Promise<DocumentRecord[]> {
  return dataSource.query<DocumentRecord[]>(
    `SELECT ${documentColumns('d')} FROM documents d WHERE d.uid IN ${visibleDocumentUids('$1')}
       AND ($2::text IS NULL OR (d.owner_id = $1 AND (d.folder = $2 OR starts_with(d.folder, $2 || '/'))))
       AND ($3::text IS NULL OR position(lower($3) IN lower(d.filename)) > 0)
       AND ($4::text IS NULL OR $4 = ANY (d.tags)) AND ($5::timestamptz IS NULL OR d.created_at >= $5)
     ORDER BY d.created_at DESC, d.uid LIMIT $6`,
    [viewerId, folder, namePart, tag, createdFrom, limit],
  );
}
