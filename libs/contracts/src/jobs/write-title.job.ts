import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Have the language model say in a few words what a new conversation is about. */
export const writeTitleJob = defineJob({
  name: 'write-title',
  queue: 'turns',
  payload: z.object({ sessionId: z.int().positive() }),
  key: ({ sessionId }) => String(sessionId),
});
