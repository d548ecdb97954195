import { indexDocumentJob } from '@app/contracts';
import { defineWork } from '@app/work';
import { documentColumns, type DocumentRecord } from '../state/document-columns.js';
import { MAX_TRIES, QUEUE_CLASSES, STATUS_TEXTS, type QueueClass } from '../state/document.states.js';
import { keepIndex } from '../state/keep-index.js';
import { shows } from '../state/transition.js';
import { acceptDocuments } from './accept-documents.js';
import { BULK_SHARE, findNextDocument } from './fair-queue.js';

/** Seconds before a failed try is repeated, times the tries so far. */
const RETRY_DELAY_SECONDS = 2;

const CLASSES = Object.keys(QUEUE_CLASSES) as QueueClass[];

/** Documents that are to be indexed: whose turn it is, `findNextDocument` says. */
export const indexingWork = defineWork<DocumentRecord>({
  work: 'document',
  job: indexDocumentJob,
  table: 'documents',
  // An indexer of the release before, which runs beside this one during an update, claims by these columns.
  lease: {
    attempts: 'failed_tries',
    leaseOwner: 'leased_by',
    leasedUntil: 'lease_expires_at',
    nextAttempt: 'not_before',
    isOpen: `w.processing_state IN ('queued', 'processing') AND w.deleted_at IS NULL`,
    dueAt: 'coalesce(w.not_before, w.queued_at)',
  },
  key: { uid: 'uuid' },
  columns: documentColumns('w'),
  onClaim: `${shows('claim')}, page_number = 0, processing_started_at = now()`,
  onLetGo: shows('try_again'),
  onLost: { of: `w.processing_state = 'processing'`, set: shows('try_again') },
  retry: { tries: MAX_TRIES, delaySeconds: (attempt) => attempt * RETRY_DELAY_SECONDS },
  unexpected: 'Indexing ended with an unexpected error.',
  workerLost: 'The worker that read this file stopped unexpectedly.',
  triesSpent: `Indexing was tried ${MAX_TRIES} times.`,
  onGivenUp: shows('fail'),
  // Nobody but the platform has asked for more than the index that is there.
  async whenGivenUp({ uid, queueClass }, tx) {
    if (queueClass !== QUEUE_CLASSES.background) return;
    await keepIndex(tx, uid, { isGivenUp: true, status: STATUS_TEXTS.completed });
  },
  aloneAfterLoss: true,
  ids: ({ uid, kind, attempt }) => ({ uid, kind, attempt }),
  ownerOf: ({ ownerId }) => ownerId,
  originOf: ({ correlationId }) => correlationId,
  next: findNextDocument,
  onEarlyJob: acceptDocuments,
  classes: {
    order: CLASSES,
    keptFor: 'interactive',
    share: { of: 'bulk', everyTurns: BULK_SHARE },
    of: ({ queueClass }) => CLASSES.find((name) => QUEUE_CLASSES[name] === queueClass)!,
  },
});
