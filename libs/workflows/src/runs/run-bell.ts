import { executeRunJob } from '@app/contracts';
import { LiveBus } from '@app/live';
import { Doorbell, Outbox } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { newId } from '@app/common';

/** Rings for runs whose rows already say that there is something to do; what is lost here, the sweeper finds. */
@Injectable()
export class RunBell {
  private readonly logger = new Logger(RunBell.name);

  constructor(
    private readonly outbox: Outbox,
    private readonly doorbell: Doorbell,
    private readonly live: LiveBus,
  ) {}

  /** After commit of a signal: for the worker that holds the run, and for any other when it is parked. */
  async ringForSignal(runId: string): Promise<void> {
    this.live.publish('runs:signal', { runId });
    await this.ring(runId);
  }

  async ring(runId: string): Promise<void> {
    const message = this.outbox.prepare(executeRunJob, { runId, fence: 0 });
    try {
      // A key of its own: the bell of an earlier claim may still hang under the run's.
      await this.doorbell.ring([{ ...message, jobKey: `${runId}:${newId()}`, requestId: null }]);
    } catch (error) {
      this.logger.debug(`The bell of run ${runId} was not rung: ${String(error)}`);
    }
  }
}
