import { AuditModule } from '@app/audit';
import { BillingJobsModule, BillingModule, PaymentEventsModule, PaymentsAtWorkModule } from '@app/billing';
import type { AppConfig } from '@app/config';
import { EntitlementsModule } from '@app/entitlements';
import { DatabaseModule } from '@app/entities';
import { LiveModule } from '@app/live';
import { MessagesModule } from '@app/messages';
import { QueuesModule } from '@app/queues';
import { SecretsModule } from '@app/secrets';
import { WorkModule } from '@app/work';
import type { ModuleMetadata } from '@nestjs/common';

type Modules = NonNullable<ModuleMetadata['imports']>;

/** Plans that are sold, and what they stand on. */
export const billingModules = (config: AppConfig): Modules => [
  DatabaseModule.forRoot(config, 'test'),
  WorkModule.forRoot(config, 'test'),
  QueuesModule.forRoot(config, {}),
  LiveModule.forRoot(config),
  SecretsModule.forRoot(config),
  AuditModule,
  MessagesModule,
  EntitlementsModule.forRoot(config),
  BillingModule.forRoot(config),
];

/** With what works off events, as the api and the runner do together. */
export const billingAtWorkModules = (config: AppConfig): Modules => [
  ...billingModules(config),
  BillingJobsModule.forRoot(config),
  PaymentEventsModule,
  PaymentsAtWorkModule,
];
