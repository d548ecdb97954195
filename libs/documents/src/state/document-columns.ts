import type { Document } from '@app/entities';

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
  'pageNumber',
  'labels',
  'docClass',
  'ocr',
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
  'indexGeneration',
  'queuedAt',
  'processingStartedAt',
  'completedAt',
  'deletedAt',
  'purgeAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Document)[];

export const columnOf = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The select list that gives `DocumentRecord`s, for the table under `alias`. */
export function documentColumns(alias: string): string {
  return PROPERTIES.map((property) => `${alias}.${columnOf(property)} AS "${property}"`).join(', ');
}
