import { importTableJob } from '@app/contracts';
import { defineWork } from '@app/work';
import { TABULAR_STATUS_TEXTS, type TabularFileRecord } from '../records/tabular-file-columns.js';
import { findNextImport } from './fair-imports.js';

export type ClaimedImport = Pick<
  TabularFileRecord,
  'uid' | 'ownerId' | 'filename' | 'kind' | 'sizeBytes' | 'storageKey' | 'headerRow' | 'delimiter' | 'encoding'
>;

/** Tries of one request for an import, the first included; then the file is `failed`. */
export const MAX_IMPORT_TRIES = 3;

const enters = (state: keyof typeof TABULAR_STATUS_TEXTS) =>
  `processing_state = '${state}', status = '${TABULAR_STATUS_TEXTS[state]}', updated_at = now()`;

/** Table files that are to be imported, owners in turn. */
export const importWork = defineWork<ClaimedImport>({
  work: 'table import',
  job: importTableJob,
  table: 'tabular_files',
  key: { uid: 'uuid' },
  columns: `w.uid, w.owner_id AS "ownerId", w.filename, w.kind, w.size_bytes AS "sizeBytes", w.storage_key AS "storageKey",
    w.header_row AS "headerRow", w.delimiter, w.encoding`,
  onClaim: `${enters('processing')}, last_error = '', started_at = now()`,
  onLetGo: enters('queued'),
  retry: { tries: MAX_IMPORT_TRIES, delaySeconds: (attempt) => 2 * attempt },
  unexpected: 'The import ended with an unexpected error.',
  onGivenUp: enters('failed'),
  ids: ({ uid, kind }) => ({ uid, kind }),
  ownerOf: ({ ownerId }) => ownerId,
  next: findNextImport,
});
