import { z } from 'zod';
import { defineJob, type JobDefinition, type QueueName } from './define-job.js';

/** Which row is to be worked on. */
export interface WorkBell {
  /** Its primary key as text, in the order of the definition's key. */
  key: string[];
  /** Claims of the row so far, so that one whose worker was lost rings again. */
  fence: number;
}

const workBell = z.object({ key: z.array(z.string()).min(1), fence: z.int().nonnegative() });

/** A job of `defineWork` (libs/work): it rings for one row of a table. */
/** @param options `tracksDelivery`: the domain is told whether the queue took the bell */
export function defineWorkJob(
  name: string,
  queue: QueueName,
  options: { tracksDelivery?: boolean } = {},
): JobDefinition<WorkBell> {
  return defineJob({ ...options, name, queue, payload: workBell, key: ({ key, fence }) => [...key, fence].join(':') });
}
