import type { AppConfig } from '@app/config';
import { SourceRemoval, SourceRows, SOURCES_SETTINGS, SourcesService, toSourcesSettings } from '@app/documents';
import { type DynamicModule, Module } from '@nestjs/common';
import { SourceTrial } from './source-trial.js';
import { SourcesController } from './sources.controller.js';

/** External sources over HTTP; the indexer syncs them. */
@Module({})
export class ExternalSourcesModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ExternalSourcesModule,
      controllers: [SourcesController],
      providers: [
        { provide: SOURCES_SETTINGS, useValue: toSourcesSettings(config) },
        SourceRows,
        SourcesService,
        SourceTrial,
        SourceRemoval,
      ],
    };
  }
}
