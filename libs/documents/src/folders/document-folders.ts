import { InvalidRequestError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { trashDocuments } from '../store/document-lifecycle.js';
import { MAX_FOLDER_LENGTH } from '../store/folder-path.js';
import { retriedTransaction } from '@app/entities';

/** Rows per statement: each one stays well below the api's limit for a statement. */
const BATCH = 1000;

export interface FolderRecord {
  folder: string;
  /** Documents in it, without those of its sub-folders. */
  count: number;
}

/**
 * The virtual folders of an owner: a folder is there while a document is in it. Folders as `normalizeFolder` gives
 * them. What changes whole folders of one owner happens one after the other, so that crossing moves end as if one had
 * come first; a document in the trash keeps its folder and comes back to it.
 */
@Injectable()
export class DocumentFolders {
  constructor(private readonly dataSource: DataSource) {}

  /** Those with documents, in the order of their names; the root is ''. */
  list(ownerId: number): Promise<FolderRecord[]> {
    return this.dataSource.query<FolderRecord[]>(
      `SELECT folder, count(*)::int AS count FROM documents WHERE owner_id = $1 AND deleted_at IS NULL
       GROUP BY folder ORDER BY folder`,
      [ownerId],
    );
  }

  /**
   * Puts everything under `from` under `to` instead.
   * @returns how many documents
   * @throws InvalidRequestError `folder_into_itself`, `folder_too_long`; NotFoundError when nothing is there
   */
  async move(ownerId: number, from: string, to: string): Promise<number> {
    if (to === from || to.startsWith(`${from}/`))
      throw new InvalidRequestError('A folder cannot be moved into itself.', { code: 'folder_into_itself' });
    return retriedTransaction(this.dataSource, async (tx) => {
      const uids = await lockContents(tx, ownerId, from);
      for (const some of batches(uids)) {
        const [rows] = await tx.query<[{ length: number }[], number]>(
          `UPDATE documents SET folder = ltrim($3 || substr(folder, length($2) + 1), '/'), updated_at = now()
           WHERE uid = ANY($1::uuid[]) RETURNING length(folder)::int AS length`,
          [some, from, to],
        );
        if (rows.some(({ length }) => length > MAX_FOLDER_LENGTH))
          throw new InvalidRequestError(`A folder path has at most ${MAX_FOLDER_LENGTH} characters.`, {
            code: 'folder_too_long',
          });
      }
      return uids.length;
    });
  }

  /**
   * Puts everything in the folder and its sub-folders into the trash, but of the root ('') only its own documents
   * (docs/contract/documents.md#folders).
   * @returns how many documents. @throws NotFoundError when nothing is there
   */
  async trash(ownerId: number, folder: string, retentionDays: number): Promise<number> {
    return retriedTransaction(this.dataSource, async (tx) => {
      const uids = await lockContents(tx, ownerId, folder);
      for (const some of batches(uids)) await trashDocuments(tx, ownerId, some, retentionDays);
      return uids.length;
    });
  }
}

/** Of '' the documents of the root alone. @throws NotFoundError when there are none */
async function lockContents(tx: EntityManager, ownerId: number, folder: string): Promise<string[]> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtext('document_folders'), $1)`, [ownerId]);
  const rows = await tx.query<{ uid: string }[]>(
    `SELECT uid FROM documents WHERE owner_id = $1 AND deleted_at IS NULL
       AND (folder = $2 OR ($2 <> '' AND starts_with(folder, $2 || '/')))
     ORDER BY uid FOR NO KEY UPDATE`,
    [ownerId, folder],
  );
  if (rows.length === 0) throw new NotFoundError('The folder is empty or unknown.', { code: 'folder_not_found' });
  return rows.map(({ uid }) => uid);
}

function* batches(uids: string[]): Generator<string[]> {
  for (let start = 0; start < uids.length; start += BATCH) yield uids.slice(start, start + BATCH);
}
