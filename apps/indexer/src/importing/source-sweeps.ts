import { SourceSyncs } from '@app/documents';
import { Gates } from '@app/entitlements';
import { PeriodicTasks, SoleTasks } from '@app/queues';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ItemDownloads } from './item-downloads.js';

const SCHEDULE_SECONDS = 15;
const DOWNLOADS_SECONDS = 600;

/** Syncs that are due, and what killed downloads have left. One of all replicas looks for syncs. */
@Injectable()
export class SourceSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly ownTasks: PeriodicTasks,
    private readonly syncs: SourceSyncs,
    private readonly downloads: ItemDownloads,
    private readonly gates: Gates,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('scheduled imports', SCHEDULE_SECONDS, () => this.requestDue());
    // On the disk of this process.
    this.ownTasks.every('abandoned downloads', DOWNLOADS_SECONDS, () => this.downloads.removeAbandoned());
  }

  async requestDue(): Promise<void> {
    for (const { id, ownerId } of await this.syncs.listDue()) {
      const refusal = await this.gates.refusalFor(ownerId, 'data_integration');
      if (refusal) await this.syncs.passOver(id, refusal.message);
      else await this.syncs.request(id);
    }
  }
}
