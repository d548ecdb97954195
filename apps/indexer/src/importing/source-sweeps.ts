import { SourceSyncs } from '@app/documents';
import { PeriodicTasks } from '@app/queues';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ItemDownloads } from './item-downloads.js';

const SCHEDULE_SECONDS = 15;
const DOWNLOADS_SECONDS = 600;

/** Syncs that are due, and what killed downloads have left. Replicas may look at the same time. */
@Injectable()
export class SourceSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly syncs: SourceSyncs,
    private readonly downloads: ItemDownloads,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('scheduled imports', SCHEDULE_SECONDS, () => this.requestDue());
    this.tasks.every('abandoned downloads', DOWNLOADS_SECONDS, () => this.downloads.removeAbandoned());
  }

  async requestDue(): Promise<void> {
    for (const sourceId of await this.syncs.listDue()) await this.syncs.request(sourceId);
  }
}
