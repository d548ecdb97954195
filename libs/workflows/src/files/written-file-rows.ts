import { newId, newTimeOrderedId } from '@app/common';
import type { NewFile } from '@app/workflow-definition';
import type { EntityManager } from 'typeorm';

/** Names that are tried when one is taken: `report (2).csv` and so on. */
const MAX_COPIES = 1_000;

interface KnownFile {
  id: string;
  path: string;
  storage_key: string;
}

/** What was stored for a new file, and where. */
export interface StoredContent {
  key: string;
  sizeBytes: number;
  sha256: string;
}

/**
 * Writes the row of a file, in the transaction that settles its room; the caller has locked the owner's account, so that
 * names are given out one after the other. Where the path is taken, the file is called `report (2).csv`.
 * @param path relative, of safe names
 * @returns the row, and the key of the content that it had before, which nothing refers to any more
 */
export async function writeFileRow(
  tx: EntityManager,
  ownerId: number,
  file: Pick<NewFile, 'mimeType' | 'idempotencyKey' | 'runId' | 'replaces'>,
  path: string,
  { key, sizeBytes, sha256 }: StoredContent,
): Promise<{ row: { id: string; path: string }; replacedKey: string | null }> {
  const known = await findKnown(tx, ownerId, file, path);
  const values = [file.mimeType, sizeBytes, sha256, key, file.idempotencyKey, file.runId ?? null];
  const workflow = `(SELECT workflow_id FROM workflow_runs WHERE id = $6::uuid)`;
  if (known) {
    await tx.query(
      `UPDATE written_files SET mime_type = $1, size_bytes = $2, sha256 = $3, storage_key = $4, idempotency_key = $5,
         workflow_id = ${workflow}, created_at = now() WHERE id = $7`,
      [...values, known.id],
    );
    return { row: known, replacedKey: known.storage_key };
  }
  const row = { id: newTimeOrderedId(), path: await freePath(tx, ownerId, path) };
  await tx.query(
    `INSERT INTO written_files (mime_type, size_bytes, sha256, storage_key, idempotency_key, workflow_id, id, owner_id, path)
     VALUES ($1, $2, $3, $4, $5, ${workflow}, $7, $8, $9)`,
    [...values, row.id, ownerId, row.path],
  );
  return { row, replacedKey: null };
}

/** The file that is written anew: that of an earlier try, or, where that is wanted, the one of the same path. */
async function findKnown(
  tx: EntityManager,
  ownerId: number,
  { idempotencyKey, replaces }: Pick<NewFile, 'idempotencyKey' | 'replaces'>,
  path: string,
): Promise<KnownFile | null> {
  const rows = await tx.query<KnownFile[]>(
    `SELECT id, path, storage_key FROM written_files WHERE owner_id = $1 AND (idempotency_key = $2 OR $3::boolean AND path = $4)
     ORDER BY idempotency_key IS NOT DISTINCT FROM $2::text DESC LIMIT 1 FOR UPDATE`,
    [ownerId, idempotencyKey, replaces ?? false, path],
  );
  return rows[0] ?? null;
}

async function freePath(tx: EntityManager, ownerId: number, path: string): Promise<string> {
  const dot = path.lastIndexOf('.');
  const end = dot > path.lastIndexOf('/') + 1 ? dot : path.length;
  const stem = path.slice(0, end);
  const extension = path.slice(end);
  const [free] = await tx.query<{ path: string }[]>(
    `SELECT candidate AS path FROM (
       SELECT n, CASE n WHEN 1 THEN $2::text ELSE $3::text || ' (' || n || ')' || $4::text END AS candidate
       FROM generate_series(1, ${MAX_COPIES}) AS n) AS c
     WHERE NOT EXISTS (SELECT FROM written_files f WHERE f.owner_id = $1 AND f.path = c.candidate)
     ORDER BY n LIMIT 1`,
    [ownerId, path, stem, extension],
  );
  return free?.path ?? `${stem} (${newId()})${extension}`;
}
