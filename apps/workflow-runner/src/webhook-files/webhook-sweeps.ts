import { fetchRequestFilesJob } from '@app/contracts';
import { Doorbell, Outbox, PeriodicTasks } from '@app/queues';
import { RequestFetches, RequestRetention } from '@app/workflows';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { RemoteFileIntake } from './remote-file-intake.js';

const TIDY_SECONDS = 300;

/** Brings back fetches that were lost, and takes out what webhooks have no use for any more. */
export class WebhookSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly outbox: Outbox,
    private readonly doorbell: Doorbell,
    private readonly fetches: RequestFetches,
    private readonly retention: RequestRetention,
    private readonly intake: RemoteFileIntake,
    private readonly sweepSeconds: number,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('forgotten fetches', this.sweepSeconds, async () => {
      const forgotten = await this.fetches.listForgotten();
      const messages = forgotten.map((payload) => this.outbox.prepare(fetchRequestFilesJob, payload));
      if (messages.length > 0) await this.doorbell.ring(messages);
    });
    this.tasks.every('finished webhook requests', TIDY_SECONDS, async () => {
      while ((await this.retention.removeSome()).mayBeMore);
      await this.retention.removeExpiredKeys();
      await this.fetches.removeUnwanted();
      await this.intake.removeAbandoned();
    });
  }
}
