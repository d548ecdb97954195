export { EntitlementsModule } from './entitlements.module.js';
export { announceLooseFile, LooseFiles, releaseLooseFiles, removeFolderSoon } from './storage/loose-files.js';
export { OwnedReservations } from './storage/owned-reservations.js';
export { StorageLimitExceededError } from './storage/storage-limit-exceeded.error.js';
export { ENTITLEMENT_SETTINGS, type EntitlementSettings, StorageLimits } from './storage/storage-limits.js';
export { StorageQuota, type StorageUsage } from './storage/storage-quota.js';
export { StorageReservation } from './storage/storage-reservation.js';
