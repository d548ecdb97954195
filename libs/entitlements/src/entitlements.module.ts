import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { PlanCatalog } from './plans/plan-catalog.js';
import { ENTITLEMENT_SETTINGS, type EntitlementSettings, StorageLimits } from './storage/storage-limits.js';
import { StorageQuota } from './storage/storage-quota.js';
import { PoolReader } from './usage/pool-reader.js';

/** What an account may use. Global: every store asks before it takes bytes. Needs the database of the app. */
@Module({})
export class EntitlementsModule {
  static forRoot({ storage, workflows, billing, enforcement }: AppConfig): DynamicModule {
    const settings: EntitlementSettings = {
      storageQuotaBytes: storage.quotaBytes,
      runHistoryDays: workflows.historyDays,
      storageGate: enforcement.storage,
    };
    return {
      module: EntitlementsModule,
      global: true,
      providers: [
        { provide: ENTITLEMENT_SETTINGS, useValue: settings },
        { provide: PlanCatalog, useValue: PlanCatalog.of(billing) },
        StorageLimits,
        StorageQuota,
        PoolReader,
      ],
      exports: [ENTITLEMENT_SETTINGS, PlanCatalog, PoolReader, StorageQuota],
    };
  }
}
