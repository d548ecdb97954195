import { PeriodicTasks } from '@app/queues';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TableImport } from './table-import.js';

const ABANDONED_SECONDS = 600;

/** What killed imports have left on the disk of this process. */
@Injectable()
export class ImportSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly imports: TableImport,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('abandoned imports', ABANDONED_SECONDS, () => this.imports.removeAbandoned());
  }
}
