import { z } from 'zod';
import { defineJob, type JobDefinition, type QueueName } from './define-job.js';

/** Which row is to be worked on. */
export interface WorkPayload {
  /** Its primary key as text, in the order of the definition's key. */
  key: string[];
  /** Claims of the row so far, so that one whose worker was lost is asked for again. */
  fence: number;
}

const workPayload = z.object({ key: z.array(z.string()).min(1), fence: z.int().nonnegative() });

/** A job of `defineWork` (libs/work): it asks for one row of a table. */
/** @param options `tracksDelivery`: the domain is told whether the queue took the job */
export function defineWorkJob(
  name: string,
  queue: QueueName,
  options: { tracksDelivery?: boolean } = {},
): JobDefinition<WorkPayload> {
  return defineJob({
    ...options,
    name,
    queue,
    payload: workPayload,
    key: ({ key, fence }) => [...key, fence].join(':'),
  });
}
