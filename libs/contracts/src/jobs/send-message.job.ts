import { z } from 'zod';
import { defineJob } from '../define-job.js';

/** Send one mail or text message. `attempt` is part of the key, so that a later try rings again. */
export const sendMessageJob = defineJob({
  name: 'send-message',
  queue: 'messages',
  payload: z.object({ messageId: z.uuid(), attempt: z.int().nonnegative() }),
  key: ({ messageId, attempt }) => `${messageId}:${attempt}`,
});
