export { type Doer, type ProcessorObject, SubscriptionSync, type SyncOutcome } from './sync/subscription-sync.js';
export { BillingModule } from './billing.module.js';
export { PaymentEventIntake } from './events/payment-event-intake.js';
export { PaymentEventRetention } from './events/payment-event-retention.js';
export { PaymentEventsModule, PaymentsAtWorkModule } from './events/payment-events.module.js';
export { PaymentObjectReader } from './events/payment-object-reader.js';
export { type ClaimedObject, paymentObjectWork } from './events/payment-object-work.js';
export { Reconcile, RECONCILE_SECONDS } from './events/reconcile.js';
export { TrialMails } from './events/trial-mails.js';
