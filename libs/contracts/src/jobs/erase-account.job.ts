import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Go on with the erasure of an account. `fence` counts the claims so far, so that one whose worker was lost rings again. */
export const eraseAccountJob = defineJob({
  name: 'erase-account',
  queue: 'accounts',
  payload: z.object({ erasureId: z.uuid(), fence: z.int().nonnegative() }),
  key: ({ erasureId, fence }) => `${erasureId}:${fence}`,
});
