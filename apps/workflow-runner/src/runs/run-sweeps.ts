import type { AppConfig } from '@app/config';
import { LooseFiles } from '@app/entitlements';
import { SoleTasks } from '@app/queues';
import { RevisionRetention, RunRetention, RunSweeper, WorkflowTrash } from '@app/workflows';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

const PURGE_SECONDS = 60;
const RETENTION_SECONDS = 60;
const PURGE_BATCH = 20;
const THIN_OUT_SECONDS = 3_600;

/** Looks for lost and forgotten runs, and empties the trash, at intervals. One of all replicas does; two at once do not get into each other's way. */
@Injectable()
export class RunSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly sweeper: RunSweeper,
    private readonly trash: WorkflowTrash,
    private readonly retention: RevisionRetention,
    private readonly history: RunRetention,
    private readonly looseFiles: LooseFiles,
    private readonly leases: AppConfig['leases'],
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('old revisions', THIN_OUT_SECONDS, async () => void (await this.retention.thinOut()));
    this.tasks.every('lost and forgotten runs', this.leases.sweepSeconds, () => this.sweeper.sweep());
    this.tasks.every('old runs', RETENTION_SECONDS, async () => {
      await this.history.sweep();
      // What large outputs they had is loose now; the indexer's own sweep is made for fewer.
      while ((await this.looseFiles.removeDue()) > 0);
    });
    this.tasks.every('workflows in the trash', PURGE_SECONDS, async () => {
      while ((await this.trash.purgeDue(PURGE_BATCH)) === PURGE_BATCH);
    });
  }
}
