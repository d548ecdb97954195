import { QUEUES, type QueueName } from '@app/contracts';
import { getQueueToken } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bull';

export interface JobMessage {
  job: string;
  queue: QueueName;
  jobKey: string;
  payload: Record<string, unknown>;
  /** Origin of the request that asked for it, see `currentOrigin`. */
  requestId: string | null;
}

/** What travels in a Bull job. */
export interface JobEnvelope {
  payload: Record<string, unknown>;
  requestId: string | null;
}

/** Adds jobs to the Bull queues, over connections that fail fast. */
@Injectable()
export class JobQueues {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * One round trip per queue. A job whose key is still in the queue is not added again.
   * @throws when Redis does not take them; none, some or all may then be in the queue, which does no harm.
   */
  async add(messages: JobMessage[]): Promise<void> {
    await Promise.all(
      QUEUES.map(async (name) => {
        const jobs = messages.filter((message) => message.queue === name);
        if (jobs.length === 0) return;
        await this.queue(name).addBulk(
          jobs.map(({ job, jobKey, payload, requestId }) => ({
            name: job,
            data: { payload, requestId },
            opts: { jobId: `${job}:${jobKey}`, removeOnComplete: true, removeOnFail: true },
          })),
        );
      }),
    );
  }

  /** Milliseconds that Redis takes to answer, for the readiness probe. @throws when it does not. */
  async ping(): Promise<void> {
    await this.queue(QUEUES[0]).client.ping();
  }

  /** Takes messages back that nobody has taken yet; one at work goes when its work ends. */
  async takeBack(queue: QueueName, jobIds: string[]): Promise<void> {
    for (const jobId of jobIds) {
      const job = await this.queue(queue).getJob(jobId);
      if (job && !(await job.isActive())) await job.remove();
    }
  }

  /** Called each time that Redis is back after it was away, or after it could not be reached at the start. */
  onReturn(handler: () => void): void {
    const { client } = this.queue(QUEUES[0]);
    let wasAway = client.status !== 'ready';
    client.on('close', () => {
      wasAway = true;
    });
    client.on('ready', () => {
      if (wasAway) handler();
      wasAway = false;
    });
  }

  private queue(name: QueueName): Queue<JobEnvelope> {
    return this.modules.get<Queue<JobEnvelope>>(getQueueToken(name), { strict: false });
  }
}
