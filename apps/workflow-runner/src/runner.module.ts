import { ArtifactConversationsModule } from '@app/agents';
import { ArtifactsModule, chartsOfWorkflow } from '@app/artifacts';
import { AuditModule } from '@app/audit';
import { BillingJobsModule, BillingModule } from '@app/billing';
import type { AppConfig } from '@app/config';
import { DocumentsModule } from '@app/documents';
import { DatabaseModule } from '@app/entities';
import { EntitlementsModule, LimitNotices, LooseFiles } from '@app/entitlements';
import { tablesOfWorkflow } from '@app/extraction';
import { IntegrationsModule } from '@app/integrations';
import { DataSourcesModule } from '@app/data-sources';
import { LiveModule } from '@app/live';
import { McpModule } from '@app/mcp';
import { ModelsModule } from '@app/models';
import { ObservabilityModule } from '@app/observability';
import { SoleTasks, QueuesModule } from '@app/queues';
import { WorkModule } from '@app/work';
import { SecretsModule } from '@app/secrets';
import { toolCatalogue } from '@app/workflow-tools';
import { RevisionRetention, RunRetention, RunSweeper, WorkflowsModule, WorkflowTrash } from '@app/workflows';
import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsAtWorkModule } from './accounts/accounts-at-work.module.js';
import { BoardsAtWorkModule } from './boards/boards-at-work.module.js';
import { DedicatedAgentAtWorkModule } from './dedicated-agent/dedicated-agent-at-work.module.js';
import { HealthChecks } from './health-checks.js';
import { LimitLooks } from './messages/limit-looks.js';
import { MessagesAtWorkModule } from './messages/messages-at-work.module.js';
import { PaymentWorkModule } from './payments/payments-at-work.module.js';
import { PortsModule } from './ports.module.js';
import { RunSweeps } from './runs/run-sweeps.js';
import { RUNS_AT_ONCE, RunWorker } from './runs/run-worker.js';
import { WebhookFilesModule } from './webhook-files/webhook-files.module.js';
import { TurnsAtWorkModule } from './turns/turns-at-work.module.js';
import { ScheduleTicks } from './schedules/schedule-ticks.js';

/** Jobs that are taken while runs are at work: else those of one owner would keep out everybody. */
const BELLS_PER_RUN = 4;
/** They wait for somebody else's server most of the time. */
const FETCHES_AT_ONCE = 4;
/** Each may have a statement run for half a minute. */
const REFRESHES_AT_ONCE = 2;
const MESSAGES_AT_ONCE = 4;
const PAYMENTS_AT_ONCE = 4;
/** They listen, and write together; a long one makes room for others. Never fewer than turns, which those of our own loop are. */
const LEAST_FOLLOWS_AT_ONCE = 64;

/** The workflow-runner: carries out the runs that the queue names, and brings back those that were lost. */
@Module({})
export class RunnerModule {
  static forRoot(config: AppConfig): DynamicModule {
    const ports = PortsModule.forRoot(config);
    return {
      module: RunnerModule,
      imports: [
        ObservabilityModule,
        DatabaseModule.forRoot(ownPool(config), 'atrium-workflow-runner'),
        WorkModule.forRoot(config, 'workflow-runner'),
        QueuesModule.forRoot(config, {
          consumes: {
            runs: config.workflows.concurrency * BELLS_PER_RUN,
            turns: config.turns.atOnce,
            fetches: FETCHES_AT_ONCE,
            refreshes: REFRESHES_AT_ONCE,
            messages: MESSAGES_AT_ONCE,
            follows: Math.max(LEAST_FOLLOWS_AT_ONCE, config.turns.atOnce),
            // Where nothing is sold nobody works on payments.
            ...(config.billing.kind !== 'none' && { payments: PAYMENTS_AT_ONCE }),
            accounts: 1,
          },
        }),
        LiveModule.forRoot(config),
        IntegrationsModule.forRoot(config),
        ModelsModule.forRoot(config),
        McpModule.forRoot(config),
        DataSourcesModule.forRoot(config),
        SecretsModule.forRoot(config),
        AuditModule,
        EntitlementsModule.forRoot(config),
        BillingModule.forRoot(config),
        BillingJobsModule.forRoot(config),
        DocumentsModule,
        WorkflowsModule.forRoot(config, toolCatalogue, [tablesOfWorkflow, chartsOfWorkflow]),
        ArtifactsModule,
        ArtifactConversationsModule,
        ports,
        WebhookFilesModule.forRoot(config),
        TurnsAtWorkModule.forRoot(config, ports),
        BoardsAtWorkModule.forRoot(ports),
        DedicatedAgentAtWorkModule.forRoot(config),
        MessagesAtWorkModule,
        PaymentWorkModule.forRoot(config),
        AccountsAtWorkModule.forRoot(config),
      ],
      providers: [
        RunWorker,
        { provide: RUNS_AT_ONCE, useValue: config.workflows.concurrency },
        ScheduleTicks,
        LimitNotices,
        LimitLooks,
        {
          provide: RunSweeps,
          inject: [SoleTasks, RunSweeper, WorkflowTrash, RevisionRetention, RunRetention, LooseFiles],
          useFactory: (
            tasks: SoleTasks,
            sweeper: RunSweeper,
            trash: WorkflowTrash,
            revisions: RevisionRetention,
            history: RunRetention,
            looseFiles: LooseFiles,
          ) => new RunSweeps(tasks, sweeper, trash, revisions, history, looseFiles, config.leases),
        },
        HealthChecks,
      ],
    };
  }
}

/** What takes calls in competes with what works them off, and must win. */
function ownPool(config: AppConfig): AppConfig {
  const poolSize = Math.min(config.database.poolSize, config.workflows.poolSize);
  return { ...config, database: { ...config.database, poolSize } };
}
