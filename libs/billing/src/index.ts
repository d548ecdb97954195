export { type Doer, type ProcessorObject, SubscriptionSync, type SyncOutcome } from './sync/subscription-sync.js';
