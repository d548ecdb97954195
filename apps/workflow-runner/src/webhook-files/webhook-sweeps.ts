import type { PeriodicTasks, SoleTasks } from '@app/queues';
import type { RequestFetches, RequestRetention } from '@app/workflows';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { RemoteFileIntake } from './remote-file-intake.js';

const TIDY_SECONDS = 300;

/** Takes out what webhooks have no use for any more. */
export class WebhookSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly ownTasks: PeriodicTasks,
    private readonly fetches: RequestFetches,
    private readonly retention: RequestRetention,
    private readonly intake: RemoteFileIntake,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('finished webhook requests', TIDY_SECONDS, async () => {
      while ((await this.retention.removeSome()).mayBeMore);
      await this.retention.removeExpiredKeys();
      await this.fetches.removeUnwanted();
    });
    // On the disk of this process.
    this.ownTasks.every('abandoned intakes', TIDY_SECONDS, async () => void (await this.intake.removeAbandoned()));
  }
}
