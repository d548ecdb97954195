import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Write the copy of an account's data. `fence` counts the claims so far, so that one whose worker was lost rings again. */
export const exportAccountJob = defineJob({
  name: 'export-account',
  queue: 'accounts',
  payload: z.object({ exportId: z.uuid(), fence: z.int().nonnegative() }),
  key: ({ exportId, fence }) => `${exportId}:${fence}`,
});
