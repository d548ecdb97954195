import { UnavailableError } from '@app/common';
import { pingDatabase } from '@app/entities';
import { Antivirus, FileStorage } from '@app/integrations';
import { isSendingLate } from '@app/messages';
import { HealthRegistry } from '@app/observability';
import { JobQueues } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { probeChunks } from '@app/retrieval';
import { DataSource } from 'typeorm';

/** What the api needs to do its work (docs/contract/administration.md#health). */
@Injectable()
export class ReadinessChecks implements OnModuleInit {
  constructor(
    private readonly health: HealthRegistry,
    private readonly dataSource: DataSource,
    private readonly jobQueues: JobQueues,
    private readonly storage: FileStorage,
    private readonly antivirus: Antivirus,
  ) {}

  onModuleInit(): void {
    this.health.register('database', () => pingDatabase(this.dataSource));
    this.health.register('queue', () => this.jobQueues.ping());
    this.health.register('storage', () => this.storage.health());
    // Without it no file comes in, but everything else works.
    if (this.antivirus.enabled) this.health.registerOptional('scanner', () => this.antivirus.health());
    // A workflow-runner sends them: without one, nobody gets a code.
    this.health.registerOptional('messages', async () => {
      if (await isSendingLate(this.dataSource))
        throw new UnavailableError('No workflow-runner sends the messages that wait.', { code: 'messages_unsent' });
    });
    // The index lives in the same database, but can be missing there or locked by a maintenance.
    this.health.register('index', async () => {
      await probeChunks(this.dataSource);
    });
  }
}
