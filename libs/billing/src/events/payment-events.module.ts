import { Clock, SystemClock } from '@app/common';
import { Module } from '@nestjs/common';
import { PaymentEventIntake } from './payment-event-intake.js';
import { PaymentEventRetention } from './payment-event-retention.js';
import { PaymentObjectReader } from './payment-object-reader.js';
import { Reconcile } from './reconcile.js';

/** Takes the events of the processor. Needs `BillingModule`. */
@Module({
  providers: [PaymentEventIntake, { provide: Clock, useClass: SystemClock }],
  exports: [PaymentEventIntake],
})
export class PaymentEventsModule {}

const AT_WORK = [PaymentObjectReader, Reconcile, PaymentEventRetention];

/** What comes of the events, and of those that were lost. Needs `BillingModule`. */
@Module({ providers: AT_WORK, exports: AT_WORK })
export class PaymentsAtWorkModule {}
