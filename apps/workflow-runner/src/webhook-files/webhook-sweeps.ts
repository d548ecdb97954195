import type { PeriodicTasks } from '@app/queues';
import type { RequestFetches, RequestRetention } from '@app/workflows';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { RemoteFileIntake } from './remote-file-intake.js';

const TIDY_SECONDS = 300;

/** Takes out what webhooks have no use for any more. */
export class WebhookSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly fetches: RequestFetches,
    private readonly retention: RequestRetention,
    private readonly intake: RemoteFileIntake,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('finished webhook requests', TIDY_SECONDS, async () => {
      while ((await this.retention.removeSome()).mayBeMore);
      await this.retention.removeExpiredKeys();
      await this.fetches.removeUnwanted();
      await this.intake.removeAbandoned();
    });
  }
}
