import type { StoredFileRow } from '@app/contracts';
import type { DataSource } from 'typeorm';

/** The owner's own table file, of either store; null for any other. */
export async function findTableFile(
  dataSource: DataSource,
  ownerId: number,
  uid: string,
): Promise<StoredFileRow | null> {
  const [row] = await dataSource.query<StoredFileRow[]>(
    `SELECT storage_key AS "storageKey", mime_type AS "mimeType", size_bytes AS "sizeBytes", filename AS name
     FROM tabular_files WHERE uid = $2 AND owner_id = $1`,
    [ownerId, uid],
  );
  return row ?? null;
}
