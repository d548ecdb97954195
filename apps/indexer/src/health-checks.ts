import { WAITING_DOCUMENTS } from '@app/documents';
import { measureWaiting, pingDatabase } from '@app/entities';
import { FileStorage } from '@app/integrations';
import { HealthRegistry } from '@app/observability';
import { JobQueues } from '@app/queues';
import { WAITING_IMPORTS } from '@app/tabular';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What the indexer cannot work without (docs/contract/administration.md#health). */
@Injectable()
export class HealthChecks implements OnModuleInit {
  constructor(
    private readonly registry: HealthRegistry,
    private readonly dataSource: DataSource,
    private readonly jobQueues: JobQueues,
    private readonly storage: FileStorage,
  ) {}

  onModuleInit(): void {
    this.registry.register('database', () => pingDatabase(this.dataSource));
    this.registry.register('queue', () => this.jobQueues.ping());
    this.registry.register('storage', () => this.storage.health());
    measureWaiting(this.dataSource, 'indexer', [...WAITING_DOCUMENTS, ...WAITING_IMPORTS]);
  }
}
