import type { AppConfig } from '@app/config';
import { DatabaseModule } from '@app/entities';
import { IntegrationsModule } from '@app/integrations';
import { AppLogger, ObservabilityModule } from '@app/observability';
import { QueuesModule } from '@app/queues';
import { SecretsModule } from '@app/secrets';
import { WorkModule } from '@app/work';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagesAtWorkModule } from '../../apps/workflow-runner/src/messages/messages-at-work.module.js';

const MOST_CONNECTIONS = 3;

class BackgroundJobsModule {}

/**
 * The jobs that an api asks for and a workflow-runner does, in the process of the test: mails and text messages go out
 * also where nothing but an api runs. Runs and turns stay to the workflow-runners that the test starts.
 */
export function hostBackgroundJobs(config: AppConfig): Promise<INestApplicationContext> {
  const database = { ...config.database, poolSize: MOST_CONNECTIONS };
  const imports = [
    ObservabilityModule,
    DatabaseModule.forRoot({ ...config, database }, 'test-jobs'),
    WorkModule.forRoot(config, 'test-jobs'),
    QueuesModule.forRoot(config, { consumes: { messages: 4 } }),
    IntegrationsModule.forRoot(config),
    SecretsModule.forRoot(config),
    MessagesAtWorkModule,
  ];
  return NestFactory.createApplicationContext(
    { module: BackgroundJobsModule, imports },
    { abortOnError: false, logger: new AppLogger('jobs', config.logging) },
  );
}
