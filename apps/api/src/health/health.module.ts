import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController, RELEASE, type Release } from './health.controller.js';
import { MasterKeyCheck } from './master-key-check.js';
import { ReadinessChecks } from './readiness-checks.js';

@Module({})
export class HealthModule {
  static forRoot({ deployment: { version, commit } }: AppConfig): DynamicModule {
    const release: Release = { version, commit };
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [ReadinessChecks, MasterKeyCheck, { provide: RELEASE, useValue: release }],
    };
  }
}
