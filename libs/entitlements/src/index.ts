export { EntitlementsModule } from './entitlements.module.js';
export { announceLooseFile, LooseFiles, releaseLooseFiles, removeFolderSoon } from './storage/loose-files.js';
export { Gates, type Part, type Refusal } from './gates/gates.js';
export { FeatureNotInPlanError, SubscriptionExpiredError } from './gates/refusals.js';
export { OwnedReservations } from './storage/owned-reservations.js';
export { StorageLimitExceededError } from './storage/storage-limit-exceeded.error.js';
export { ENTITLEMENT_SETTINGS, type EntitlementSettings } from './settings.js';
export type { Account, Entitlement } from './resolver/entitlement.js';
export { EntitlementResolver } from './resolver/entitlement-resolver.js';
export { StorageQuota, type StorageUsage } from './storage/storage-quota.js';
export { StorageReservation } from './storage/storage-reservation.js';
export { FEATURES, type Feature, type FeatureFlags } from './plans/features.js';
export {
  BILLING_PERIODS,
  type BillingPeriod,
  type Coupon,
  type FreeTier,
  type Offering,
  type Plan,
  type PlanLimits,
  SUPPORT_TIERS,
  TIERS,
} from './plans/plan.js';
export { readOffering } from './plans/read-offering.js';
export { PlanCatalog } from './plans/plan-catalog.js';
export { pricesOf } from './plans/read-offering.js';
export { listPoolsWith } from './subscriptions/pools-with-feature.js';
export { findLiveSubscription } from './subscriptions/find-live-subscription.js';
export { ACCOUNTS_OF, accountsOf, lockPool, ownerOf } from './subscriptions/pool-accounts.js';
export { bringToOrganization, takeFromOrganization } from './subscriptions/move-with-owner.js';
export { moveSubscriptionOwner } from './subscriptions/move-subscription-owner.js';
export {
  LIVE_STATUSES,
  type LiveSubscription,
  type Pool,
  SUBSCRIPTION_LIVE,
  type SubscriptionStatus,
} from './subscriptions/subscription.js';
export {
  beginReading,
  type BuyingPool,
  findBoughtForOrganization,
  findSubscriptionOf,
  findSubscriptionRow,
  isLive,
  isPoolFilled,
  listOpenOf,
  lockPools,
  lockSubscriptionRow,
  poolOf,
  type SubscriptionRow,
  writeReading,
  type WrittenState,
} from './subscriptions/subscription-rows.js';
export {
  closeOrder,
  countRedemptions,
  findCustomer,
  hadPlanBefore,
  insertOrder,
  keepCheckout,
  mayAsk,
  movePool,
  type NewOrder,
  noteCancelReason,
} from './subscriptions/subscription-orders.js';
export {
  claimEndingTrials,
  listPaid,
  listUnendedOf,
  listWaiting,
  type PaidSubscription,
} from './subscriptions/subscription-lists.js';
export {
  countSubscriptionsOf,
  forgetReasons,
  listCustomersOf,
  listForgettableCustomers,
  listExportedSubscriptions,
  SUBSCRIPTION_COLUMNS,
} from './subscriptions/subscription-exports.js';
export { takeUnreconciled, type UnreconciledSubscription } from './subscriptions/due-subscriptions.js';
export { LimitNotices } from './usage/limit-notices.js';
export { poolKey, runsOfMonth, tokensOfMonth } from './usage/month-usage.js';
export { OwnedUsage } from './usage/owned-usage.js';
