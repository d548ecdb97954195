import type { DataSource } from 'typeorm';
import type { DocumentRecord } from '../state/document-columns.js';
import { transition } from '../state/transition.js';

/** The queue has the jobs of these documents. */
export function acceptDocuments(db: DataSource, uids: readonly string[]): Promise<DocumentRecord[]> {
  return transition(db, uids, 'accept', {
    set: { lastError: '' },
    increment: ['enqueueAttemptCount'],
    stamp: ['queuedAt', 'rungAt'],
  });
}
