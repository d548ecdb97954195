import { syncSourceJob } from '@app/contracts';
import { SourceSyncs } from '@app/documents';
import { Doorbell, Outbox, PeriodicTasks } from '@app/queues';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { IMPORTING_SETTINGS, type ImportingSettings } from './importing-settings.js';
import { ItemDownloads } from './item-downloads.js';
import { SourceClaims } from './source-claims.js';

const SCHEDULE_SECONDS = 15;
const DOWNLOADS_SECONDS = 600;

/** Syncs that are due, and those that nobody is at any more. Replicas may look at the same time. */
@Injectable()
export class SourceSweeps implements OnApplicationBootstrap {
  constructor(
    @Inject(IMPORTING_SETTINGS) private readonly settings: ImportingSettings,
    private readonly tasks: PeriodicTasks,
    private readonly claims: SourceClaims,
    private readonly syncs: SourceSyncs,
    private readonly outbox: Outbox,
    private readonly doorbell: Doorbell,
    private readonly downloads: ItemDownloads,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('waiting imports', this.settings.sweepSeconds, () => this.ringAgain());
    this.tasks.every('scheduled imports', SCHEDULE_SECONDS, () => this.requestDue());
    this.tasks.every('abandoned downloads', DOWNLOADS_SECONDS, () => this.downloads.removeAbandoned());
  }

  /** Ringing for one that still waits in the queue does nothing. */
  async ringAgain(): Promise<void> {
    const waiting = await this.claims.listWaiting();
    if (waiting.length > 0)
      await this.doorbell.ring(waiting.map((payload) => this.outbox.prepare(syncSourceJob, payload)));
  }

  async requestDue(): Promise<void> {
    for (const sourceId of await this.claims.listDue()) await this.syncs.request(sourceId);
  }
}
