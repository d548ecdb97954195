import { exportAccountJob } from '@app/contracts';
import { defineWork } from '@app/work';

export interface ClaimedExport {
  id: string;
  userId: number;
  storageKey: string;
}

/** The copy of an account's data, written for its owner. */
export const exportWork = defineWork<ClaimedExport>({
  work: 'export',
  job: exportAccountJob,
  table: 'exports',
  key: { id: 'uuid' },
  columns: 'w.id, w.user_id AS "userId", w.storage_key AS "storageKey"',
  retry: { tries: 3, delaySeconds: (attempt) => 10 * attempt },
  onGivenUp: `state = 'failed', finished_at = now(), expires_at = now() + interval '7 days'`,
  ids: ({ id: exportId }) => ({ exportId }),
  ownerOf: ({ userId }) => userId,
});
