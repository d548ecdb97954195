import { visibleDocument } from '@app/access';
import type { StoredFileRow } from '@app/contracts';
import type { DataSource } from 'typeorm';

const COLUMNS = 'storage_key AS "storageKey", mime_type AS "mimeType", size_bytes AS "sizeBytes", filename AS name';

/** The file of a document that the viewer may read; null for any other. */
export async function findVisibleFile(
  dataSource: DataSource,
  viewerId: number,
  uid: string,
): Promise<StoredFileRow | null> {
  const [row] = await dataSource.query<StoredFileRow[]>(
    `SELECT ${COLUMNS} FROM documents d WHERE d.uid = $2 AND ${visibleDocument('d', '$1')}`,
    [viewerId, uid],
  );
  return row ?? null;
}

/** The file of a document for whoever has a right to it that is no share of it; null when it is gone or in the trash. */
export async function findKeptFile(dataSource: DataSource, uid: string): Promise<StoredFileRow | null> {
  const [row] = await dataSource.query<StoredFileRow[]>(
    `SELECT ${COLUMNS} FROM documents d WHERE d.uid = $1 AND d.deleted_at IS NULL`,
    [uid],
  );
  return row ?? null;
}
