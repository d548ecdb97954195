import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Repeat a share, or its end, in the drive that the document came from. `version` counts the changes, so that each one rings. */
export const mirrorShareJob = defineJob({
  name: 'mirror-share',
  queue: 'shares',
  payload: z.object({ mirrorId: z.int().positive(), version: z.int().nonnegative() }),
  key: ({ mirrorId, version }) => `${mirrorId}:${version}`,
});
