import type { AppConfig } from '@app/config';
import { LanguageModel } from '@app/integrations';
import { type DynamicModule, Module } from '@nestjs/common';
import { createLanguageModels } from './create-models.js';
import { LanguageModels } from './language-models.js';

/** The language models of the deployment, and the default one as `LanguageModel`. Global. */
@Module({})
export class ModelsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ModelsModule,
      global: true,
      providers: [
        { provide: LanguageModels, useFactory: () => createLanguageModels(config.models) },
        { provide: LanguageModel, inject: [LanguageModels], useFactory: (models: LanguageModels) => models.default },
      ],
      exports: [LanguageModels, LanguageModel],
    };
  }
}
