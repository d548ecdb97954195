import type { Document } from '@app/entities';
import type { DataSource, EntityManager } from 'typeorm';

/** A row of `documents` as the queries of this lib return it. `sizeBytes` is a decimal string (bigint). */
export type DocumentRecord = Document;

const PROPERTIES = [
  'uid',
  'ownerId',
  'folder',
  'filename',
  'path',
  'kind',
  'mimeType',
  'sizeBytes',
  'sha256',
  'storageKey',
  'processingState',
  'status',
  'lastError',
  'stage',
  'percent',
  'pageNumber',
  'labels',
  'docClass',
  'tags',
  'ocr',
  'ocrLanguages',
  'trainAfterUpload',
  'fromDms',
  'externalDriveItemId',
  'enqueueAttemptCount',
  'attempt',
  'failedTries',
  'fence',
  'leasedBy',
  'leaseExpiresAt',
  'rungAt',
  'correlationId',
  'queueClass',
  'notBefore',
  'reindexedFor',
  'indexGeneration',
  'queuedAt',
  'processingStartedAt',
  'completedAt',
  'deletedAt',
  'purgeAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Document)[];

export const columnOf = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The select list that gives `DocumentRecord`s, for the table under `alias`. */
export function documentColumns(alias: string): string {
  return PROPERTIES.map((property) => `${alias}.${columnOf(property)} AS "${property}"`).join(', ');
}

/** As it is now, whoever asks: for code that has decided access already, and for workers. Null when it is gone. */
export async function findDocumentByUid(db: DataSource | EntityManager, uid: string): Promise<DocumentRecord | null> {
  const [row] = await db.query<DocumentRecord[]>(`SELECT ${documentColumns('d')} FROM documents d WHERE d.uid = $1`, [
    uid,
  ]);
  return row ?? null;
}

/** @param docClass what kind of document it is, as its summary says */
export async function classifyDocument(uid: string, docClass: string, tx: EntityManager): Promise<void> {
  await tx.query('UPDATE documents SET doc_class = $2, updated_at = now() WHERE uid = $1', [uid, docClass]);
}
