import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Fetch the files that a webhook call names. `fence` counts the claims so far, so that one whose worker was lost rings again. */
export const fetchRequestFilesJob = defineJob({
  name: 'fetch-request-files',
  queue: 'fetches',
  payload: z.object({ requestId: z.uuid(), fence: z.int().nonnegative() }),
  key: ({ requestId, fence }) => `${requestId}:${fence}`,
});
