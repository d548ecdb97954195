import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Write summary, class and questions of one document. `attempt` is part of the key, so that a later try rings again. */
export const summariseDocumentJob = defineJob({
  name: 'summarise-document',
  queue: 'insights',
  payload: z.object({ uid: z.uuid(), attempt: z.int().nonnegative() }),
  key: ({ uid, attempt }) => `${uid}:${attempt}`,
});
