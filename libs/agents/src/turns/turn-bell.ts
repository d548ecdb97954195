import { executeTurnJob } from '@app/contracts';
import { Doorbell, Outbox } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';

/** Calls workers to conversations without an outbox row: what is not heard, the sweeper repeats. */
@Injectable()
export class TurnBell {
  private readonly logger = new Logger(TurnBell.name);

  constructor(
    private readonly outbox: Outbox,
    private readonly doorbell: Doorbell,
  ) {}

  async ring(bells: readonly { sessionId: number; bell: string }[]): Promise<void> {
    if (bells.length === 0) return;
    try {
      await this.doorbell.ring(bells.map((bell) => this.outbox.prepare(executeTurnJob, bell)));
    } catch (error) {
      this.logger.warn(`${bells.length} conversations wait for the next sweep: ${String(error)}`);
    }
  }
}
