import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Build the database of one table file. `attempt` is part of the key, so that a retry rings again. */
export const importTableJob = defineJob({
  name: 'import-table',
  queue: 'tables',
  payload: z.object({ uid: z.uuid(), attempt: z.int().nonnegative() }),
  key: ({ uid, attempt }) => `${uid}:${attempt}`,
  tracksDelivery: true,
});
