import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Look through a turn that has ended for what is worth keeping of its user. */
export const rememberTurnJob = defineJob({
  name: 'remember-turn',
  queue: 'turns',
  payload: z.object({ turnId: z.uuid() }),
  key: ({ turnId }) => turnId,
});
