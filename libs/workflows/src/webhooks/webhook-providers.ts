import type { AppConfig } from '@app/config';
import { Gates } from '@app/entitlements';
import { LiveBus } from '@app/live';
import { Outbox } from '@app/queues';
import { WorkClaims } from '@app/work';
import { KeyRing, SealingService } from '@app/secrets';
import { DataSource } from 'typeorm';
import { RevisionCache } from '../revisions/revision-cache.js';
import { WorkflowAccess } from '../access/workflow-access.js';
import { RunAnnouncer } from '../runs/run-announcer.js';
import { WaitingRequests } from '../runs/waiting-requests.js';
import { CallIntake } from './call-intake.js';
import { RequestFetches } from './files/request-fetches.js';
import { HookReceivers } from './hooks/hook-receivers.js';
import { RequestRetention } from './request-retention.js';
import { WebhookAuthenticator } from './webhook-authenticator.js';
import { WebhookCredentials } from './webhook-credentials.js';
import { WebhookQueue } from './webhook-queue.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** What of the webhooks is made of settings. */
export function webhookProviders({ workflows }: AppConfig) {
  return [
    {
      provide: WebhookSecrets,
      inject: [KeyRing, SealingService],
      useFactory: (ring: KeyRing, sealing: SealingService) => new WebhookSecrets(ring, sealing),
    },
    {
      provide: WebhookCredentials,
      inject: [DataSource, WebhookSecrets, WorkflowAccess, RevisionCache],
      useFactory: (...parts: ConstructorParameters<typeof WebhookCredentials>) => new WebhookCredentials(...parts),
    },
    {
      provide: WebhookAuthenticator,
      inject: [DataSource, WebhookSecrets, SealingService, LiveBus],
      useFactory: (...parts: ConstructorParameters<typeof WebhookAuthenticator>) => new WebhookAuthenticator(...parts),
    },
    {
      provide: HookReceivers,
      inject: [DataSource, SealingService, LiveBus],
      useFactory: (...parts: ConstructorParameters<typeof HookReceivers>) => new HookReceivers(...parts),
    },
    {
      provide: CallIntake,
      inject: [DataSource],
      useFactory: (database: DataSource) => new CallIntake(database, workflows.queueLimit),
    },
    {
      provide: WebhookQueue,
      inject: [CallIntake, Outbox, RevisionCache, RunAnnouncer, Gates],
      useFactory: (
        intake: CallIntake,
        outbox: Outbox,
        revisions: RevisionCache,
        announcer: RunAnnouncer,
        gates: Gates,
      ) => new WebhookQueue(intake, outbox, revisions, announcer, gates, workflows.webhookFiles),
    },
    {
      provide: RequestFetches,
      inject: [DataSource, WorkClaims, WaitingRequests],
      useFactory: (database: DataSource, claims: WorkClaims, waiting: WaitingRequests) =>
        new RequestFetches(database, claims, waiting),
    },
    {
      provide: RequestRetention,
      inject: [DataSource],
      useFactory: (database: DataSource) => new RequestRetention(database, workflows.requestRetentionDays),
    },
  ];
}
