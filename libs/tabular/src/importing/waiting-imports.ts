import type { WaitingRows } from '@app/entities';

/** What waits for an indexer, for its metrics. */
export const WAITING_IMPORTS: readonly WaitingRows[] = [
  {
    work: 'table imports',
    from: 'tabular_files',
    where: `processing_state IN ('pending_publish', 'queued')`,
    since: 'next_attempt_at',
  },
];
