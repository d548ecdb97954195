import { DocumentLifecycle, UnpublishedDocuments } from '@app/documents';
import { LooseFiles } from '@app/entitlements';
import { FileStorage } from '@app/integrations';
import { PeriodicTasks, SoleTasks } from '@app/queues';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';
import { ReindexSweeper } from './reindex-sweeper.js';

const MINUTE = 60;
const PURGE_BATCH = 50;

/** When the indexer looks for forgotten and outlived things. One of all replicas does it; two at once are harmless. */
@Injectable()
export class Sweeps implements OnApplicationBootstrap {
  constructor(
    @Inject(INDEXER_SETTINGS) private readonly settings: IndexerSettings,
    private readonly tasks: SoleTasks,
    private readonly ownTasks: PeriodicTasks,
    private readonly unpublished: UnpublishedDocuments,
    private readonly reindexing: ReindexSweeper,
    private readonly lifecycle: DocumentLifecycle,
    private readonly looseFiles: LooseFiles,
    private readonly storage: FileStorage,
  ) {}

  onApplicationBootstrap(): void {
    const { sweepSeconds, reindexOld } = this.settings;
    this.tasks.every('forgotten documents', sweepSeconds, async () => void (await this.unpublished.publishForgotten()));
    this.tasks.every('old indexes', sweepSeconds, async () => void (await this.reindexing.sweep(reindexOld)));
    this.tasks.every('refused documents', MINUTE, async () => void (await this.unpublished.retryPublishing()));
    this.tasks.every('documents in the trash', MINUTE, async () => {
      while ((await this.lifecycle.purgeDue(PURGE_BATCH)) === PURGE_BATCH);
    });
    // Disks may differ between the replicas.
    this.ownTasks.every('abandoned copies of files', MINUTE, async () => void (await this.storage.removeAbandoned()));
    this.tasks.every('loose files', MINUTE, async () => void (await this.looseFiles.removeDue()));
  }
}
