import { executeTurnJob } from '@app/contracts';
import { JobQueues, Outbox } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';

/** Calls workers to conversations without an outbox row: what is not heard, the sweeper repeats. */
@Injectable()
export class TurnNotifier {
  private readonly logger = new Logger(TurnNotifier.name);

  constructor(
    private readonly outbox: Outbox,
    private readonly jobQueues: JobQueues,
  ) {}

  async notify(causes: readonly { sessionId: number; bell: string }[]): Promise<void> {
    if (causes.length === 0) return;
    try {
      await this.jobQueues.add(causes.map((cause) => this.outbox.prepare(executeTurnJob, cause)));
    } catch (error) {
      this.logger.warn(`${causes.length} conversations wait for the next sweep: ${String(error)}`);
    }
  }
}
