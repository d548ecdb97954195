import { fetchRequestFilesJob } from '@app/contracts';
import { defineWork } from '@app/work';

/** The files of a waiting request that are to be fetched. */
export interface ClaimedFetch {
  requestId: string;
  workflowId: string;
  workflowName: string;
  ownerId: number;
  files: { position: number; url: string; tries: number }[];
}

const REQUEST = 'FROM workflow_requests q JOIN workflows f ON f.id = q.workflow_id';

/** Each file has tries of its own; with the last one done with, the row goes. */
export const fetchWork = defineWork<ClaimedFetch>({
  work: 'file fetch',
  job: fetchRequestFilesJob,
  table: 'workflow_request_fetches',
  key: { request_id: 'uuid' },
  columns: `w.request_id AS "requestId", (SELECT f.id ${REQUEST} WHERE q.id = w.request_id) AS "workflowId",
    (SELECT f.name ${REQUEST} WHERE q.id = w.request_id) AS "workflowName",
    (SELECT f.owner_id ${REQUEST} WHERE q.id = w.request_id) AS "ownerId",
    (SELECT coalesce(jsonb_agg(jsonb_build_object('position', f.position, 'url', f.url, 'tries', f.tries)
       ORDER BY f.position), '[]')
     FROM workflow_request_files f WHERE f.request_id = w.request_id AND f.state = 'pending') AS files`,
  when: `EXISTS (SELECT ${REQUEST} JOIN users u ON u.id = f.owner_id
    WHERE q.id = w.request_id AND q.status = 'pending' AND q.awaiting_files AND f.deleted_at IS NULL AND u.is_active)`,
  retry: { tries: Infinity, delaySeconds: (attempt) => Math.min(60, 2 ** attempt) },
  ids: ({ requestId, workflowId }) => ({ requestId, workflowId }),
  ownerOf: ({ ownerId }) => ownerId,
});
