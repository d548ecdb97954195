import { join } from 'node:path';
import type { AppConfig } from '@app/config';
import { DocumentStore, FileScreening } from '@app/documents';
import { StorageQuota } from '@app/entitlements';
import { EgressGuard, GuardedFetch } from '@app/integrations';
import { PeriodicTasks } from '@app/queues';
import { RequestFetches, RequestRetention } from '@app/workflows';
import { type DynamicModule, Module } from '@nestjs/common';
import { FetchRequestFilesProcessor } from './fetch-request-files.processor.js';
import { RemoteFileIntake } from './remote-file-intake.js';
import { WebhookSweeps } from './webhook-sweeps.js';

/** The files that webhook calls name, and the housekeeping of webhooks. */
@Module({})
export class WebhookFilesModule {
  static forRoot({ storage, workflows }: AppConfig): DynamicModule {
    return {
      module: WebhookFilesModule,
      providers: [
        {
          provide: RemoteFileIntake,
          inject: [FileScreening, StorageQuota, DocumentStore, RequestFetches],
          useFactory: (screening: FileScreening, quota: StorageQuota, store: DocumentStore, fetches: RequestFetches) =>
            new RemoteFileIntake(
              new GuardedFetch(new EgressGuard({ allowedHosts: workflows.hosts })),
              screening,
              quota,
              store,
              fetches,
              { folder: join(storage.folder, '.fetches'), maxBytes: storage.maxUploadBytes },
            ),
        },
        {
          provide: FetchRequestFilesProcessor,
          inject: [RequestFetches, RemoteFileIntake],
          useFactory: (fetches: RequestFetches, intake: RemoteFileIntake) =>
            new FetchRequestFilesProcessor(fetches, intake),
        },
        {
          provide: WebhookSweeps,
          inject: [PeriodicTasks, RequestFetches, RequestRetention, RemoteFileIntake],
          useFactory: (
            tasks: PeriodicTasks,
            fetches: RequestFetches,
            retention: RequestRetention,
            intake: RemoteFileIntake,
          ) => new WebhookSweeps(tasks, fetches, retention, intake),
        },
      ],
    };
  }
}
