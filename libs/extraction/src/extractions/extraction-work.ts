import { accountIsActive } from '@app/access';
import { extractDocumentJob } from '@app/contracts';
import { defineWork } from '@app/work';
import { noteItemEnd } from './note-item-end.js';
import { findNextItem } from './next-item.js';

/** A document that is to be extracted into a table. */
export interface ClaimedItem {
  id: string;
  extractionId: string;
  tableId: string;
  /** Null: the document is gone. */
  documentUid: string | null;
  sourceUid: string;
  filename: string;
  /** With whose rights, and by whose model. */
  requestedBy: number;
  /** Since when it waits, in seconds. */
  ageSeconds: number;
}

/** Tries of one item, the first included. */
export const ITEM_TRIES = 4;
/** Seconds before a failed try is repeated, times the tries so far. */
const RETRY_DELAY_SECONDS = 5;

/** Documents that are to be extracted: whose turn it is, `findNextItem` says. Those of deactivated accounts rest. */
export const extractionWork = defineWork<ClaimedItem>({
  work: 'extraction',
  job: extractDocumentJob,
  table: 'extraction_items',
  key: { id: 'uuid' },
  columns: `w.id, w.extraction_id AS "extractionId", w.table_id AS "tableId", w.document_uid AS "documentUid",
    w.source_uid AS "sourceUid", w.filename, w.requested_by AS "requestedBy",
    extract(epoch FROM now() - w.created_at)::float8 AS "ageSeconds"`,
  when: `w.state IN ('queued', 'processing') AND ${accountIsActive('w.requested_by')}`,
  onClaim: `state = 'processing', started_at = now()`,
  onLetGo: `state = 'queued'`,
  onLost: { of: `w.state = 'processing'`, set: `state = 'queued'` },
  retry: { tries: ITEM_TRIES, delaySeconds: (attempt) => attempt * RETRY_DELAY_SECONDS },
  unexpected: 'The extraction ended with an unexpected error.',
  workerLost: 'The worker that read this document stopped unexpectedly.',
  onGivenUp: `state = 'failed'`,
  async whenGivenUp(item, tx) {
    await noteItemEnd(tx, item, { state: 'failed', rowIds: [] });
  },
  aloneAfterLoss: true,
  ids: ({ id, extractionId, tableId }) => ({ id, extractionId, tableId }),
  ownerOf: ({ requestedBy }) => requestedBy,
  next: findNextItem,
});
