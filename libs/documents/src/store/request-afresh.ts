import { QUEUE_CLASSES } from '../state/document.states.js';

/** What a new request for indexing writes beside the state: earlier tries and times are forgotten; somebody waits for it. */
export const REQUEST_AFRESH = {
  set: { lastError: '', failedTries: 0, enqueueAttemptCount: 0, queueClass: QUEUE_CLASSES.interactive as number },
  increment: ['attempt' as const],
  stamp: ['rungAt' as const],
  clear: ['queuedAt' as const, 'processingStartedAt' as const, 'completedAt' as const],
};
