import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Work on the next turn of a conversation. `bell` tells one cause from another: a turn, a reply to it, a sweep. */
export const executeTurnJob = defineJob({
  name: 'execute-turn',
  queue: 'turns',
  payload: z.object({ sessionId: z.int().positive(), bell: z.string().max(100) }),
  key: ({ sessionId, bell }) => `${sessionId}:${bell}`,
});
