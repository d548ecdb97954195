import { newTimeOrderedId, toJsonText } from '@app/common';
import { executeRunJob } from '@app/contracts';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** The way from the webhook queue into a run, for everything but the end of the run before. */
@Injectable()
export class WaitingRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  /** Starts the request that waits longest, unless a run is active. @returns whether one was started. */
  async startNext(workflowId: string): Promise<boolean> {
    const message = this.outbox.prepare(executeRunJob, { runId: newTimeOrderedId(), fence: 0 });
    const [row] = await this.dataSource.query<{ outbox_id: string | null }[]>(
      'SELECT workflow_ring_next($1, $2, $3::jsonb) AS outbox_id',
      [workflowId, message.payload.runId, toJsonText(message)],
    );
    if (!row?.outbox_id) return false;
    this.outbox.publishSoon([this.outbox.adopt(message, row.outbox_id)]);
    return true;
  }
}
