import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { OwnedSources } from './owned-sources.js';
import { SourceRemoval } from './source-removal.js';
import { SourceRows } from './source-rows.js';
import { SourceTrial } from './source-trial.js';
import { SourcesController } from './sources.controller.js';
import { SourcesService } from './sources.service.js';
import { SOURCES_SETTINGS, toSourcesSettings } from './sources-settings.js';

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
        OwnedSources,
      ],
    };
  }
}
