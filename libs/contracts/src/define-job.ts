import type { z } from 'zod';

/** Who consumes a queue: the indexer takes `indexing`, `thumbnails`, `insights`, `imports`, `shares`, `tables` and `extractions`, the workflow-runner all others, the api none. */
export const QUEUES = [
  'indexing',
  'thumbnails',
  'insights',
  'imports',
  'shares',
  'tables',
  'extractions',
  'runs',
  'turns',
  'fetches',
  'refreshes',
  'follows',
  'messages',
  'payments',
  'accounts',
] as const;
export type QueueName = (typeof QUEUES)[number];

/**
 * The one declaration of a background job. The payload carries ids only: Postgres is the truth, the queue says
 * that there is work, and a claim in SQL decides who works. So a handler may be called twice, late, or for nothing.
 */
export interface JobDefinition<P> {
  readonly name: string;
  readonly queue: QueueName;
  readonly payload: z.ZodType<P>;
  /** While a job with this key is in the queue, the same key is not added again. */
  readonly key: (payload: P) => string;
  /** Its domain notes when the queue takes it: only a process that has the domain delivers it. */
  readonly tracksDelivery?: boolean;
}

export function defineJob<P>(definition: JobDefinition<P>): JobDefinition<P> {
  return Object.freeze(definition);
}
