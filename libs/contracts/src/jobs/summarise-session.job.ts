import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Have the older turns of a long conversation put in short, for the turns to come. */
export const summariseSessionJob = defineJob({
  name: 'summarise-session',
  queue: 'turns',
  payload: z.object({ sessionId: z.int().positive() }),
  key: ({ sessionId }) => String(sessionId),
});
