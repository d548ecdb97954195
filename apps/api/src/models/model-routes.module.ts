import type { AppConfig } from '@app/config';
import { LanguageModels, ModelProbes, RegisteredModelsModule } from '@app/models';
import { type DynamicModule, Module } from '@nestjs/common';
import { AdministrationModelsController } from './administration-models.controller.js';
import { SettingsModels } from './settings-models.js';
import { OrganizationModelsController } from './organization-models.controller.js';
import { OwnModelsController } from './own-models.controller.js';

/** Models that are registered while the platform runs. */
@Module({})
export class ModelRoutesModule {
  static forRoot({ models }: AppConfig): DynamicModule {
    return {
      module: ModelRoutesModule,
      imports: [RegisteredModelsModule],
      controllers: [AdministrationModelsController, OwnModelsController, OrganizationModelsController],
      providers: [
        {
          provide: SettingsModels,
          inject: [LanguageModels, ModelProbes],
          useFactory: (all: LanguageModels, probes: ModelProbes) => new SettingsModels(models, all, probes),
        },
      ],
    };
  }
}
