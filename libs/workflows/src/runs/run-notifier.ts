import { executeRunJob } from '@app/contracts';
import { LiveBus } from '@app/live';
import { JobQueues, Outbox } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { newId } from '@app/common';

/** Adds jobs for runs whose rows already say that there is something to do; what is lost here, the sweeper finds. */
@Injectable()
export class RunNotifier {
  private readonly logger = new Logger(RunNotifier.name);

  constructor(
    private readonly outbox: Outbox,
    private readonly jobQueues: JobQueues,
    private readonly live: LiveBus,
  ) {}

  /** After commit of a signal: for the worker that holds the run, and for any other when it is parked. */
  async notifyOfSignal(runId: string): Promise<void> {
    this.live.publish('runs:signal', { runId });
    await this.notify(runId);
  }

  async notify(runId: string): Promise<void> {
    const message = this.outbox.prepare(executeRunJob, { runId, fence: 0 });
    try {
      // A key of its own: the job of an earlier claim may still wait under the one of the run.
      await this.jobQueues.add([{ ...message, jobKey: `${runId}:${newId()}`, requestId: null }]);
    } catch (error) {
      this.logger.debug(`No job was added for run ${runId}: ${String(error)}`);
    }
  }
}
