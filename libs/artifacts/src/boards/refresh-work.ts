import { accountIsActive } from '@app/access';
import { refreshTileJob } from '@app/contracts';
import { defineWork } from '@app/work';
import { LOOKED_AT_WITHIN } from './refresh-times.js';

export interface ClaimedTile {
  id: number;
  kind: 'chart' | 'artifact' | 'output' | 'text';
  mgid: string | null;
  artifactId: string | null;
  /** Who put it there, and made what it shows. */
  ownerId: number;
  refreshSeconds: number | null;
  /** Since when its data is wanted anew. */
  dueAt: Date;
  isLookedAt: boolean;
}

const FIRST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 6 * 3600;

/** Data of tiles that is had anew; never given up, as long as somebody looks. With a closed account it rests. */
export const refreshWork = defineWork<ClaimedTile>({
  work: 'refresh',
  job: refreshTileJob,
  table: 'board_tiles',
  key: { id: 'integer' },
  columns: `w.id, w.kind, w.mgid, w.artifact_id AS "artifactId", w.added_by_id AS "ownerId",
    w.refresh_seconds AS "refreshSeconds", w.next_attempt_at AS "dueAt",
    EXISTS (SELECT FROM boards b WHERE b.id = w.board_id AND b.looked_at > now() - ${LOOKED_AT_WITHIN}) AS "isLookedAt"`,
  when: accountIsActive('w.added_by_id'),
  retry: {
    tries: Infinity,
    delaySeconds: (attempt) => Math.min(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), LONGEST_PAUSE_SECONDS),
  },
  unexpected: 'The data could not be had anew.',
  ids: ({ id: tileId }) => ({ tileId }),
  ownerOf: ({ ownerId }) => ownerId,
});
