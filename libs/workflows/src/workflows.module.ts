import { AuditLog } from '@app/audit';
import type { AppConfig } from '@app/config';
import { ChosenModels } from '@app/integrations';
import { LiveBus } from '@app/live';
import { Outbox } from '@app/queues';
import { ToolCatalogue } from '@app/workflow-definition';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ActorRights } from './actors/actor-rights.js';
import { DeleteImpact } from './deletion/delete-impact.js';
import { WorkflowDestruction } from './deletion/workflow-destruction.js';
import type { WorkflowPart } from './deletion/workflow-part.js';
import { WorkflowParts } from './deletion/workflow-parts.js';
import { AgentMessages } from './conversation/agent-messages.js';
import { OpenQuestions } from './conversation/open-questions.js';
import { NodeRows } from './progress/node-rows.js';
import { RevisionCache } from './revisions/revision-cache.js';
import { WorkflowAccess } from './access/workflow-access.js';
import { WorkflowEditor } from './store/workflow-editor.js';
import { WorkflowNaming } from './store/workflow-naming.js';
import { WorkflowReader } from './store/workflow-reader.js';
import { WorkflowTrash } from './store/workflow-trash.js';
import { RunChanges } from './history/run-changes.js';
import { historyProviders } from './history/history-providers.js';
import { OutputFiles } from './outputs/output-files.js';
import { outputProviders } from './outputs/output-providers.js';
import { WorkflowOutputs } from './outputs/workflow-outputs.js';
import { PostgresRunStore } from './runs/postgres-run-store.js';
import { RunAnnouncer } from './runs/run-announcer.js';
import { RunNotifier } from './runs/run-notifier.js';
import { RunControl } from './runs/run-control.js';
import { RunStore } from './runs/run-store.js';
import { RunResults } from './runs/run-results.js';
import { RunSweeper } from './runs/run-sweeper.js';
import { WaitingRequests } from './runs/waiting-requests.js';
import { KnownSecretNames } from './secrets/known-secret-names.js';
import { OrganizationSecrets } from './secrets/organization-secrets.js';
import { WorkflowSecrets } from './secrets/workflow-secrets.js';
import { SharedApps } from './access/shared-apps.js';
import { WorkflowTags } from './tags/workflow-tags.js';
import { scheduleProviders } from './schedules/schedule-providers.js';
import { RevisionRetention } from './versions/revision-retention.js';
import { RevisionWriter } from './store/revision-writer.js';
import { WorkflowVersions } from './versions/workflow-versions.js';
import { HookUrls } from './webhooks/hooks/hook-urls.js';
import { RequestAnswers } from './webhooks/request-answers.js';
import { WebhookCredentials } from './webhooks/webhook-credentials.js';
import { WebhookKeys } from './webhooks/webhook-keys.js';
import { webhookProviders } from './webhooks/webhook-providers.js';
import { WebhookRequests } from './webhooks/webhook-requests.js';
import { WebhookKeyRotation } from './webhooks/webhook-key-rotation.js';
import { WebhookSettings } from './webhooks/webhook-settings.js';
import { RequestEnds } from './webhooks/request-ends.js';
import { RequestResults } from './webhooks/request-results.js';

const selfContained = [
  ActorRights,
  AgentMessages,
  DeleteImpact,
  HookUrls,
  NodeRows,
  OpenQuestions,
  RevisionCache,
  RevisionWriter,
  RunAnnouncer,
  RunNotifier,
  RunChanges,
  RunControl,
  RunSweeper,
  SharedApps,
  RunResults,
  WaitingRequests,
  RequestAnswers,
  RequestEnds,
  RequestResults,
  WebhookKeyRotation,
  WebhookKeys,
  WebhookRequests,
  WebhookSettings,
  WorkflowAccess,
  WorkflowDestruction,
  WorkflowOutputs,
  WorkflowReader,
  KnownSecretNames,
  OrganizationSecrets,
  WorkflowSecrets,
  WorkflowTags,
  WorkflowVersions,
];

/** What the container gives; the last parameter is a setting. */
type DropLast<T extends readonly unknown[]> = T extends readonly [...infer First, unknown] ? First : never;

/** Definitions, runs and webhooks. Needs a `DataSource`, `QueuesModule` and `LiveModule`. */
@Global()
@Module({})
export class WorkflowsModule {
  /**
   * @param catalogue the node kinds of this deployment
   * @param parts what other libs keep for workflows
   */
  static forRoot(config: AppConfig, catalogue: ToolCatalogue, parts: readonly WorkflowPart[] = []): DynamicModule {
    const { leases, workflows } = config;
    const configured = [
      { provide: ToolCatalogue, useValue: catalogue },
      { provide: WorkflowParts, useFactory: () => new WorkflowParts(parts) },
      ...webhookProviders(config),
      {
        provide: PostgresRunStore,
        inject: [DataSource, Outbox, RevisionCache, RunAnnouncer, RunNotifier, OutputFiles, SharedApps],
        useFactory: (...parts: DropLast<ConstructorParameters<typeof PostgresRunStore>>) =>
          new PostgresRunStore(...parts, leases.leaseSeconds),
      },
      { provide: RunStore, useExisting: PostgresRunStore },
      ...outputProviders,
      ...historyProviders(config),
      ...scheduleProviders(workflows.queueLimit),
      {
        provide: WorkflowEditor,
        inject: [
          DataSource,
          WorkflowAccess,
          WorkflowReader,
          RevisionWriter,
          WorkflowNaming,
          WebhookCredentials,
          LiveBus,
          ToolCatalogue,
          KnownSecretNames,
        ],
        useFactory: (...parts: ConstructorParameters<typeof WorkflowEditor>) => new WorkflowEditor(...parts),
      },
      {
        provide: WorkflowTrash,
        inject: [
          DataSource,
          WorkflowAccess,
          LiveBus,
          WaitingRequests,
          RunAnnouncer,
          RunNotifier,
          WorkflowParts,
          WorkflowDestruction,
          { token: AuditLog, optional: true },
        ],
        useFactory: (...parts: DropLast<ConstructorParameters<typeof WorkflowTrash>>) =>
          new WorkflowTrash(...parts, workflows.trashRetentionDays),
      },
      {
        provide: WorkflowNaming,
        inject: [{ token: ChosenModels, optional: true }],
        useFactory: (models?: ChosenModels) => new WorkflowNaming(catalogue, models ?? null),
      },
      {
        provide: RevisionRetention,
        inject: [DataSource],
        useFactory: (database: DataSource) => new RevisionRetention(database, workflows.revisionsKept),
      },
    ];
    return {
      module: WorkflowsModule,
      providers: [...selfContained, ...configured],
      exports: [...selfContained, ...configured.map(({ provide }) => provide)],
    };
  }
}
