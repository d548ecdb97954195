import { workflowRole } from '@app/access';
import type { StoredFileRow } from '@app/contracts';
import type { DataSource } from 'typeorm';

const COLUMNS = 'storage_key AS "storageKey", mime_type AS "mimeType", size_bytes AS "sizeBytes", path AS name';

/** One's own written file, by its id or else its relative path; its name is the whole path. */
export async function findOwnWrittenFile(
  dataSource: DataSource,
  ownerId: number,
  id: string | null,
  path: string,
): Promise<StoredFileRow | null> {
  const [row] = await dataSource.query<StoredFileRow[]>(
    `SELECT ${COLUMNS} FROM written_files WHERE owner_id = $1 AND (id = $2 OR path = $3)
     ORDER BY id = $2 DESC NULLS LAST LIMIT 1`,
    // Postgres stores no NUL, and refuses a statement with one.
    [ownerId, id, path.replaceAll('\0', '')],
  );
  return row ?? null;
}

/** One's own written file, by the key that it was written under; its name is the whole path. */
export async function findWrittenFileUnder(
  dataSource: DataSource,
  ownerId: number,
  idempotencyKey: string,
): Promise<(StoredFileRow & { id: string }) | null> {
  const [row] = await dataSource.query<(StoredFileRow & { id: string })[]>(
    `SELECT id, ${COLUMNS} FROM written_files WHERE owner_id = $1 AND idempotency_key = $2`,
    [ownerId, idempotencyKey],
  );
  return row ?? null;
}

/** What a node of somebody else wrote in a workflow that the viewer sees. */
export async function findSharedWrittenFile(
  dataSource: DataSource,
  viewerId: number,
  id: string,
): Promise<StoredFileRow | null> {
  const [row] = await dataSource.query<StoredFileRow[]>(
    `SELECT ${COLUMNS} FROM written_files f JOIN workflows w ON w.id = f.workflow_id
     WHERE f.id = $2 AND w.deleted_at IS NULL AND ${workflowRole('w', '$1')} IS NOT NULL`,
    [viewerId, id],
  );
  return row ?? null;
}
