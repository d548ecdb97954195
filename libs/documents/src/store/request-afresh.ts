import { QUEUE_CLASSES, STATUS_TEXTS } from '../state/document.states.js';

/** What a new request for indexing writes beside the state: earlier tries and times are forgotten; somebody waits for it. */
export const REQUEST_AFRESH = {
  set: {
    status: STATUS_TEXTS.pending_publish as string,
    lastError: '',
    failedTries: 0,
    enqueueAttemptCount: 0,
    queueClass: QUEUE_CLASSES.interactive as number,
  },
  increment: ['attempt' as const],
  stamp: ['rungAt' as const],
  clear: ['queuedAt' as const, 'processingStartedAt' as const, 'completedAt' as const],
};
