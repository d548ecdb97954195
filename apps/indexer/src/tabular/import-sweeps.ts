import { PeriodicTasks, SoleTasks } from '@app/queues';
import { ImportRecovery } from '@app/tabular';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { IMPORT_SETTINGS, type ImportSettings } from './import-settings.js';
import { TableImport } from './table-import.js';

const ABANDONED_SECONDS = 600;

/** When the indexer looks for lost and forgotten imports. One of all replicas does. */
@Injectable()
export class ImportSweeps implements OnApplicationBootstrap {
  constructor(
    @Inject(IMPORT_SETTINGS) private readonly settings: ImportSettings,
    private readonly tasks: SoleTasks,
    private readonly ownTasks: PeriodicTasks,
    private readonly recovery: ImportRecovery,
    private readonly imports: TableImport,
  ) {}

  onApplicationBootstrap(): void {
    const { sweepSeconds, leaseSeconds } = this.settings;
    this.tasks.every('lost imports', sweepSeconds, async () => void (await this.recovery.takeBackLost()));
    this.tasks.every(
      'unheard import bells',
      sweepSeconds,
      async () => void (await this.recovery.ringAgain(leaseSeconds)),
    );
    this.tasks.every('forgotten imports', sweepSeconds, async () => void (await this.recovery.publishForgotten()));
    // On the disk of this process.
    this.ownTasks.every('abandoned imports', ABANDONED_SECONDS, () => this.imports.removeAbandoned());
  }
}
