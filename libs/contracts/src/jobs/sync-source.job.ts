import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Go on with the sync of an external source. `fence` counts the claims so far, so that one whose worker was lost rings again. */
export const syncSourceJob = defineJob({
  name: 'sync-source',
  queue: 'imports',
  payload: z.object({ sourceId: z.uuid(), fence: z.int().nonnegative() }),
  key: ({ sourceId, fence }) => `${sourceId}:${fence}`,
});
