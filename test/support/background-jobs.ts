import { AuditModule } from '@app/audit';
import { BillingModule } from '@app/billing';
import type { AppConfig } from '@app/config';
import { DocumentsModule } from '@app/documents';
import { DatabaseModule } from '@app/entities';
import { EntitlementsModule } from '@app/entitlements';
import { chartsOfWorkflow } from '@app/artifacts';
import { tablesOfWorkflow } from '@app/extraction';
import { IntegrationsModule } from '@app/integrations';
import { LiveModule } from '@app/live';
import { MessagesModule } from '@app/messages';
import { ModelsModule } from '@app/models';
import { AppLogger, ObservabilityModule } from '@app/observability';
import { QueuesModule } from '@app/queues';
import { SecretsModule } from '@app/secrets';
import { WorkModule } from '@app/work';
import { toolCatalogue } from '@app/workflow-tools';
import { WorkflowsModule } from '@app/workflows';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountsAtWorkModule } from '../../apps/workflow-runner/src/accounts/accounts-at-work.module.js';
import { MessagesAtWorkModule } from '../../apps/workflow-runner/src/messages/messages-at-work.module.js';

const MOST_CONNECTIONS = 3;

class BackgroundJobsModule {}

/**
 * The jobs that an api asks for and a workflow-runner does, in the process of the test: mails and text messages go out,
 * accounts are erased and exported, also where nothing but an api runs. Runs and turns stay to the workflow-runners that the test starts.
 */
export function hostBackgroundJobs(config: AppConfig): Promise<INestApplicationContext> {
  const database = { ...config.database, poolSize: MOST_CONNECTIONS };
  const imports = [
    ObservabilityModule,
    DatabaseModule.forRoot({ ...config, database }, 'test-jobs'),
    WorkModule.forRoot(config, 'test-jobs'),
    QueuesModule.forRoot(config, { consumes: { messages: 4, accounts: 1 } }),
    LiveModule.forRoot(config),
    IntegrationsModule.forRoot(config),
    ModelsModule.forRoot(config),
    SecretsModule.forRoot(config),
    AuditModule,
    MessagesModule,
    EntitlementsModule.forRoot(config),
    BillingModule.forRoot(config),
    DocumentsModule,
    WorkflowsModule.forRoot(config, toolCatalogue, [tablesOfWorkflow, chartsOfWorkflow]),
    MessagesAtWorkModule,
    AccountsAtWorkModule.forRoot(config),
  ];
  return NestFactory.createApplicationContext(
    { module: BackgroundJobsModule, imports },
    { abortOnError: false, logger: new AppLogger('jobs', config.logging) },
  );
}
