import type { AppConfig } from '@app/config';
import { LanguageModels, ModelProbes } from '@app/models';
import { HealthRegistry } from '@app/observability';
import { PeriodicTasks } from '@app/queues';
import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController, RELEASE, type Release } from './health.controller.js';
import { MasterKeyCheck } from './master-key-check.js';
import { ModelWatch } from './model-watch.js';
import { ReadinessChecks } from './readiness-checks.js';

@Module({})
export class HealthModule {
  static forRoot({ deployment: { version, commit }, languageModel: { probes } }: AppConfig): DynamicModule {
    const release: Release = { version, commit };
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [
        ReadinessChecks,
        MasterKeyCheck,
        {
          provide: ModelWatch,
          inject: [ModelProbes, LanguageModels, HealthRegistry, PeriodicTasks],
          useFactory: (...parts: [ModelProbes, LanguageModels, HealthRegistry, PeriodicTasks]) =>
            new ModelWatch(...parts, probes),
        },
        { provide: RELEASE, useValue: release },
      ],
    };
  }
}
