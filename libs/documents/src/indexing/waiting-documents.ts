import type { WaitingRows } from '@app/entities';
import { QUEUE_CLASSES } from '../state/document.states.js';

/** What waits for an indexer, for its metrics. Work that the platform gives itself does not count. */
export const WAITING_DOCUMENTS: readonly WaitingRows[] = [
  {
    work: 'documents',
    from: 'documents',
    where: `processing_state IN ('pending_publish', 'queued') AND deleted_at IS NULL AND queue_class < ${QUEUE_CLASSES.background}`,
    since: 'coalesce(queued_at, rung_at)',
  },
];
