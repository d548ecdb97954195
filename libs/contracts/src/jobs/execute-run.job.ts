import { z } from 'zod';
import { defineJob } from '../define-job.js';

/**
 * Work on one workflow run. `fence` counts the claims so far, so that a run whose worker was lost is asked for again. `ownerId`
 * saves asking on whose account it is worked on; it decides nothing but whose turn it is.
 */
export const executeRunJob = defineJob({
  name: 'execute-run',
  queue: 'runs',
  payload: z.object({ runId: z.uuid(), fence: z.int().nonnegative(), ownerId: z.int().optional() }),
  key: ({ runId, fence }) => `${runId}:${fence}`,
});
