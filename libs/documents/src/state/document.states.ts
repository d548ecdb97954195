import { DOCUMENT_STATES } from '@app/entities';

export { DOCUMENT_STATES };
export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** Clients poll while a document is in one of these. */
export const UNFINISHED_STATES = ['stored', 'pending_publish', 'queued', 'processing'] as const;

/** Nothing more happens here unless somebody asks for it; a sweeper goes on trying for `publish_failed`. */
export const TERMINAL_STATES = ['completed', 'failed', 'publish_failed', 'untrained'] as const;

/** In which states a document can be born: its file is on disk, and the job, if any, is in the same transaction. */
export const INITIAL_STATES = ['pending_publish', 'untrained'] as const;

/** Every way from one state to another. */
export const DOCUMENT_TRANSITIONS = {
  publish: { from: ['stored'], to: 'pending_publish' },
  accept: { from: ['pending_publish'], to: 'queued' },
  give_up_publishing: { from: ['pending_publish'], to: 'publish_failed' },
  republish: { from: ['publish_failed'], to: 'pending_publish' },
  claim: { from: ['queued'], to: 'processing' },
  complete: { from: ['processing'], to: 'completed' },
  try_again: { from: ['processing'], to: 'queued' },
  hand_back: { from: ['processing'], to: 'queued' },
  fail: { from: ['processing'], to: 'failed' },
  cancel: { from: ['stored', 'pending_publish', 'queued', 'processing'], to: 'failed' },
  /** Work on a document whose previous index answers anyway was cancelled, or came to nothing in the background. */
  keep_index: { from: ['pending_publish', 'queued', 'processing'], to: 'completed' },
  /** The same once it was given up; nobody sees it failed. */
  keep_after_failure: { from: ['failed'], to: 'completed' },
  reindex: { from: ['completed', 'failed', 'publish_failed', 'untrained'], to: 'pending_publish' },
  /** A trashed document waits in `stored`: nobody works on it. */
  withdraw: { from: ['stored', 'pending_publish', 'queued', 'processing'], to: 'stored' },
  restore: { from: ['stored', 'completed', 'failed', 'publish_failed'], to: 'pending_publish' },
} as const satisfies Record<string, { from: readonly DocumentState[]; to: DocumentState }>;
export type DocumentTransition = keyof typeof DOCUMENT_TRANSITIONS;

/** What people read while the worker has nothing more precise to say. */
export const STATUS_TEXTS: Record<DocumentState, string> = {
  stored: 'Stored.',
  pending_publish: 'Waiting for the queue.',
  queued: 'Waiting to be indexed.',
  processing: 'Reading the file.',
  completed: 'Indexed and ready for questions.',
  failed: 'Could not be indexed.',
  publish_failed: 'The queue could not be reached. Indexing will be tried again.',
  untrained: 'Stored without indexing.',
};

/** The same for a document that is read again because the platform reads better by now. */
export const BACKGROUND_STATUS_TEXT = 'Ready for questions; waiting to be indexed again in the background.';

/**
 * How urgent work is: what somebody waits for comes before what was asked for by the hundred (re-embedding, imports of
 * sources, large batches), and that before what the platform asks for by itself.
 */
export const QUEUE_CLASSES = { interactive: 0, bulk: 1, background: 2 } as const;
export type QueueClass = keyof typeof QUEUE_CLASSES;

/** Tries of one request for indexing, the first included; then the document is `failed`. */
export const MAX_TRIES = 3;
