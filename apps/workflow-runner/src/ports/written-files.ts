import { Readable } from 'node:stream';
import { newId, PayloadTooLargeError } from '@app/common';
import { type LooseFiles, sanitizeFilename } from '@app/documents';
import type { StorageQuota, StorageReservation } from '@app/entitlements';
import type { FileStorage, StoredFile as StoredBytes } from '@app/integrations';
import type { NewFile, StoredFile, Viewer } from '@app/workflows';
import type { DataSource, EntityManager } from 'typeorm';
import { asToolError } from './as-tool-error.js';

const MEDIA = '/media/written/';
/** Kept free for content whose length nobody knows beforehand. */
const UNKNOWN_BYTES = 100 * 1024 * 1024;
const MAX_FOLDERS = 10;
/** Names that are tried when one is taken: `report (2).csv` and so on. */
const MAX_COPIES = 1_000;

interface KnownFile {
  id: string;
  path: string;
  storage_key: string;
}

/** Files that workflows write for their owner. They count towards the owner's storage. */
export class WrittenFiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly looseFiles: LooseFiles,
    private readonly quota: StorageQuota,
  ) {}

  /** @throws ToolError `storage_limit_exceeded`, `file_too_large` */
  write(viewer: Viewer, file: NewFile, signal: AbortSignal): Promise<StoredFile> {
    return asToolError(this.reserveAndWrite(viewer, file, signal));
  }

  private async reserveAndWrite(viewer: Viewer, file: NewFile, signal: AbortSignal): Promise<StoredFile> {
    const { content } = file;
    const atMost = file.atMostBytes ?? (content instanceof Uint8Array ? content.length : UNKNOWN_BYTES);
    const reservation = await this.quota.reserve(viewer.userId, atMost);
    const key = `written/${newId()}`;
    try {
      await this.looseFiles.announce(key);
      const source = content instanceof Uint8Array ? Readable.from([content]) : Readable.from(capped(content, atMost));
      const stored = await this.storage.put(key, source, { signal });
      const { row, replaced } = await this.dataSource.transaction((tx) =>
        this.writeRow(viewer, file, { key, stored, reservation }, tx),
      );
      await this.looseFiles.remove(replaced);
      const name = row.path.split('/').at(-1)!;
      return {
        mediaPath: `${MEDIA}${row.id}/${encodeURIComponent(name)}`,
        path: row.path,
        name,
        mimeType: file.mimeType,
        sizeBytes: stored.sizeBytes,
      };
    } finally {
      await reservation.release();
    }
  }

  private async writeRow(
    { userId }: Viewer,
    file: NewFile,
    { key, stored, reservation }: { key: string; stored: StoredBytes; reservation: StorageReservation },
    tx: EntityManager,
  ): Promise<{ row: KnownFile; replaced: string[] }> {
    // Writers of one owner take turns, so that names are given out one after the other.
    await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
    await reservation.settle(stored.sizeBytes, tx);
    if (!(await this.looseFiles.adopt(key, tx))) throw new Error('The file was swept before its row was written.');
    const path = toRelativePath(file.name);
    const known = await findKnown(tx, userId, file, path);
    if (known) await this.looseFiles.release([known.storage_key], tx);
    const values = [file.mimeType, stored.sizeBytes, stored.sha256, key, file.idempotencyKey, file.runId ?? null];
    const workflow = `(SELECT workflow_id FROM workflow_runs WHERE id = $6::uuid)`;
    if (known) {
      await tx.query(
        `UPDATE written_files SET mime_type = $1, size_bytes = $2, sha256 = $3, storage_key = $4, idempotency_key = $5,
           workflow_id = ${workflow}, created_at = now() WHERE id = $7`,
        [...values, known.id],
      );
      return { row: known, replaced: [known.storage_key] };
    }
    const row = { id: newId(), path: await freePath(tx, userId, path), storage_key: key };
    await tx.query(
      `INSERT INTO written_files (mime_type, size_bytes, sha256, storage_key, idempotency_key, workflow_id, id, owner_id, path)
       VALUES ($1, $2, $3, $4, $5, ${workflow}, $7, $8, $9)`,
      [...values, row.id, userId, row.path],
    );
    return { row, replaced: [] };
  }
}

/** The file that is written anew: that of an earlier try, or, where that is wanted, the one of the same path. */
async function findKnown(
  tx: EntityManager,
  ownerId: number,
  { idempotencyKey, replaces }: NewFile,
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

/** Every segment a safe file name; nothing leads upwards. */
function toRelativePath(name: string): string {
  const segments = name.split(/[/\\]/).filter((segment) => !['', '.', '..'].includes(segment.trim()));
  const folders = segments.slice(0, -1).slice(0, MAX_FOLDERS);
  return [...folders, segments.at(-1) ?? 'file'].map((segment) => sanitizeFilename(segment)).join('/');
}

async function* capped(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new PayloadTooLargeError(`The file is larger than ${maxBytes} bytes.`, { code: 'file_too_large' });
    yield chunk;
  }
}
