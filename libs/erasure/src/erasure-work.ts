import { eraseAccountJob } from '@app/contracts';
import { defineWork } from '@app/work';

export interface ClaimedErasure {
  id: string;
  userId: number;
  finishedSteps: string[];
}

/** What came in while the steps ran sends it back to the beginning; it is never given up. */
export const erasureWork = defineWork<ClaimedErasure>({
  work: 'erasure',
  job: eraseAccountJob,
  table: 'erasures',
  key: { id: 'uuid' },
  columns: 'w.id, w.user_id AS "userId", w.finished_steps AS "finishedSteps"',
  retry: { tries: Infinity, delaySeconds: (attempt) => Math.min(3600, 5 * attempt) },
  onRetry: `finished_steps = '{}'`,
  ids: ({ id: erasureId }) => ({ erasureId }),
  ownerOf: ({ userId }) => userId,
});
