import { Clock, SystemClock } from '@app/common';
import { PaymentProcessor } from '@app/integrations';
import { Outbox } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PaymentEventIntake } from './payment-event-intake.js';
import { PaymentEventRetention } from './payment-event-retention.js';
import { PaymentObjectReader } from './payment-object-reader.js';
import { Reconcile } from './reconcile.js';
import { TrialMails } from './trial-mails.js';

/** Takes the events of the processor. Where nothing is sold it says so. */
@Module({
  providers: [
    {
      provide: PaymentEventIntake,
      inject: [DataSource, WorkClaims, Outbox, { token: PaymentProcessor, optional: true }],
      useFactory: (db: DataSource, claims: WorkClaims, outbox: Outbox, processor?: PaymentProcessor) =>
        new PaymentEventIntake(db, claims, outbox, new SystemClock(), processor ?? null),
    },
  ],
  exports: [PaymentEventIntake],
})
export class PaymentEventsModule {}

const AT_WORK = [PaymentObjectReader, Reconcile, TrialMails, PaymentEventRetention];

/** What comes of the events, and of those that were lost. Needs `BillingModule`, where something is sold. */
@Module({ providers: [...AT_WORK, { provide: Clock, useClass: SystemClock }], exports: AT_WORK })
export class PaymentsAtWorkModule {}
