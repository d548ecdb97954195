import { mirrorShareJob } from '@app/contracts';
import { defineWork } from '@app/work';

/** A share of a document from an external drive, taken to be repeated there. */
export interface ClaimedMirror {
  id: number;
  /** What was wanted when it was taken; a later change makes it due again. */
  version: number;
  wanted: boolean;
  email: string;
  itemId: string;
  handle: string | null;
  /** Whether the drive was ever asked to share it: then a missing handle says nothing. */
  attempted: boolean;
  sourceId: string | null;
  ownerId: number;
}

/** Seconds before each further try; the last one is repeated. */
const BACKOFF_SECONDS = [30, 120, 600, 3600, 21_600];

/** What shares are to be in the drives that their documents come from; given up after about a month of six hours each. */
export const mirrorWork = defineWork<ClaimedMirror>({
  work: 'share mirror',
  job: mirrorShareJob,
  table: 'document_share_mirrors',
  key: { id: 'integer' },
  columns: `w.id, w.version, w.wanted, w.email, w.item_id AS "itemId", w.grant_handle AS handle, w.attempted,
    w.source_id AS "sourceId", w.owner_id AS "ownerId"`,
  onClaim: 'attempted = w.attempted OR w.wanted',
  retry: {
    tries: 120,
    delaySeconds: (attempt) => BACKOFF_SECONDS[Math.min(attempt, BACKOFF_SECONDS.length) - 1]!,
  },
  unexpected: 'The drive did not answer.',
  ids: ({ id: mirrorId }) => ({ mirrorId }),
  ownerOf: ({ ownerId }) => ownerId,
});
