import type { QueueName } from '@app/contracts';

export interface QueuesOptions {
  keyPrefix: string;
  /** The queues that this process works on, with the number of jobs at a time. */
  consumes: Partial<Record<QueueName, number>>;
}

export const QUEUES_OPTIONS = Symbol('QUEUES_OPTIONS');
