import { accountIsActive } from '@app/access';
import { syncSourceJob } from '@app/contracts';
import { defineWork } from '@app/work';
import type { StoredSource } from './source-secret.js';

export interface ClaimedSource extends StoredSource {
  ownerId: number;
  folder: string;
  ocr: boolean;
  cursor: string | null;
  pageCursor: string | null;
  run: number;
  isFullRun: boolean;
  batchId: string | null;
}

const MAX_TRIES = 5;

/** Syncs of external sources under way. Owners whose account is closed get nothing more. */
export const sourceWork = defineWork<ClaimedSource>({
  work: 'source sync',
  job: syncSourceJob,
  table: 'external_sources',
  key: { id: 'uuid' },
  columns: `w.id, w.owner_id AS "ownerId", w.type, w.config, w.secret_sealed AS "secretSealed", w.folder, w.ocr, w.cursor,
    w.page_cursor AS "pageCursor", w.run, w.is_full_run AS "isFullRun", w.batch_id AS "batchId"`,
  when: accountIsActive('w.owner_id'),
  retry: { tries: MAX_TRIES, delaySeconds: (attempt) => 2 ** attempt },
  unexpected: 'The import was interrupted by an unexpected error.',
  onGivenUp: `state = 'error', page_cursor = NULL, updated_at = now()`,
  ids: ({ id: sourceId, type }) => ({ sourceId, type }),
  ownerOf: ({ ownerId }) => ownerId,
});
