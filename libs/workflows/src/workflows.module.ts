import type { AppConfig } from '@app/config';
import { LiveBus } from '@app/live';
import { Outbox } from '@app/queues';
import { KeyRing, SealingService } from '@app/secrets';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DeleteImpact } from './deletion/delete-impact.js';
import { WorkflowDestruction } from './deletion/workflow-destruction.js';
import { WorkflowParts } from './deletion/workflow-parts.js';
import { NodeRows } from './definitions/node-rows.js';
import { RevisionCache } from './definitions/revision-cache.js';
import { WorkflowAccess } from './definitions/workflow-access.js';
import { WorkflowEditor } from './definitions/workflow-editor.js';
import { WorkflowReader } from './definitions/workflow-reader.js';
import { WorkflowTrash } from './definitions/workflow-trash.js';
import { PostgresRunStore } from './runs/postgres-run-store.js';
import { RunAnnouncer } from './runs/run-announcer.js';
import { RunBell } from './runs/run-bell.js';
import { RunControl } from './runs/run-control.js';
import { RunStore } from './runs/run-store.js';
import { RunSweeper } from './runs/run-sweeper.js';
import { WaitingRequests } from './runs/waiting-requests.js';
import { ToolCatalogue } from './tools/tool-catalogue.js';
import { WebhookCredentials } from './webhooks/webhook-credentials.js';
import { WebhookQueue } from './webhooks/webhook-queue.js';
import { WebhookRequests } from './webhooks/webhook-requests.js';
import { WebhookKeyRotation } from './webhooks/webhook-key-rotation.js';
import { WebhookSecrets } from './webhooks/webhook-secrets.js';

const selfContained = [
  DeleteImpact,
  NodeRows,
  RevisionCache,
  RunAnnouncer,
  RunBell,
  RunControl,
  RunSweeper,
  WaitingRequests,
  WebhookKeyRotation,
  WebhookRequests,
  WorkflowAccess,
  WorkflowDestruction,
  WorkflowParts,
  WorkflowReader,
];

/** Definitions, runs and webhooks. Needs a `DataSource`, `QueuesModule` and `LiveModule`. */
@Global()
@Module({})
export class WorkflowsModule {
  /** @param catalogue the node kinds of this deployment. */
  static forRoot(config: AppConfig, catalogue: ToolCatalogue): DynamicModule {
    const { leases, workflows } = config;
    const configured = [
      { provide: ToolCatalogue, useValue: catalogue },
      {
        provide: WebhookSecrets,
        inject: [KeyRing, SealingService],
        useFactory: (ring: KeyRing, sealing: SealingService) => new WebhookSecrets(ring, sealing),
      },
      {
        provide: PostgresRunStore,
        inject: [DataSource, Outbox, RevisionCache, RunAnnouncer, RunBell],
        useFactory: (
          database: DataSource,
          outbox: Outbox,
          revisions: RevisionCache,
          announcer: RunAnnouncer,
          bell: RunBell,
        ) => new PostgresRunStore(database, outbox, revisions, announcer, bell, leases.leaseSeconds),
      },
      { provide: RunStore, useExisting: PostgresRunStore },
      {
        provide: WebhookCredentials,
        inject: [DataSource, WebhookSecrets, WorkflowAccess, RevisionCache],
        useFactory: (...parts: ConstructorParameters<typeof WebhookCredentials>) => new WebhookCredentials(...parts),
      },
      {
        provide: WebhookQueue,
        inject: [DataSource, Outbox, RevisionCache, RunAnnouncer],
        useFactory: (database: DataSource, outbox: Outbox, revisions: RevisionCache, announcer: RunAnnouncer) =>
          new WebhookQueue(database, outbox, revisions, announcer, workflows.queueLimit),
      },
      {
        provide: WorkflowEditor,
        inject: [DataSource, WorkflowAccess, WorkflowReader, WebhookCredentials, LiveBus, ToolCatalogue],
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
          WorkflowParts,
          WorkflowDestruction,
        ],
        useFactory: (
          database: DataSource,
          access: WorkflowAccess,
          live: LiveBus,
          waiting: WaitingRequests,
          announcer: RunAnnouncer,
          parts: WorkflowParts,
          destruction: WorkflowDestruction,
        ) =>
          new WorkflowTrash(
            database,
            access,
            live,
            waiting,
            announcer,
            parts,
            destruction,
            workflows.trashRetentionDays,
          ),
      },
    ];
    return {
      module: WorkflowsModule,
      providers: [...selfContained, ...configured],
      exports: [...selfContained, ...configured.map(({ provide }) => provide)],
    };
  }
}
