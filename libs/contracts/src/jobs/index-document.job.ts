import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Read, chunk and index one document. `attempt` is part of the key, so that a retry is a job of its own. */
export const indexDocumentJob = defineJob({
  name: 'index-document',
  queue: 'indexing',
  payload: z.object({ uid: z.uuid(), attempt: z.int().nonnegative() }),
  key: ({ uid, attempt }) => `${uid}:${attempt}`,
  tracksDelivery: true,
});
