import type { AppConfig } from '@app/config';
import { OwnModelRights } from '@app/models';
import { type DynamicModule, Module } from '@nestjs/common';
import { Gates } from './gates/gates.js';
import { OwnModelRightsByPlan } from './gates/own-model-rights-by-plan.js';
import { PlanCatalog } from './plans/plan-catalog.js';
import { EntitlementResolver } from './resolver/entitlement-resolver.js';
import { ENTITLEMENT_SETTINGS, toEntitlementSettings } from './settings.js';
import { StorageQuota } from './storage/storage-quota.js';

/** What an account may use. Global: every store asks before it takes bytes. Needs the database of the app, and `LiveBus`. */
@Module({})
export class EntitlementsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: EntitlementsModule,
      global: true,
      providers: [
        { provide: ENTITLEMENT_SETTINGS, useValue: toEntitlementSettings(config) },
        { provide: PlanCatalog, useValue: PlanCatalog.of(config.billing) },
        EntitlementResolver,
        Gates,
        { provide: OwnModelRights, useClass: OwnModelRightsByPlan },
        StorageQuota,
      ],
      exports: [ENTITLEMENT_SETTINGS, PlanCatalog, EntitlementResolver, Gates, OwnModelRights, StorageQuota],
    };
  }
}
