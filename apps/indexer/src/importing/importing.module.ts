import type { AppConfig } from '@app/config';
import { DerivedTexts, DocumentReplacement, KnownItems } from '@app/documents';
import { forgetSummary } from '@app/retrieval';
import { type DynamicModule, Module } from '@nestjs/common';
import { IMPORTING_SETTINGS, toImportingSettings } from './importing-settings.js';
import { ItemDownloads } from './item-downloads.js';
import { ItemImport } from './item-import.js';
import { ItemOutcomes } from './item-outcomes.js';
import { ItemStoring } from './item-storing.js';
import { SourceImport } from './source-import.js';
import { SourceSweeps } from './source-sweeps.js';
import { SyncSourceProcessor } from './sync-source.processor.js';

/** Syncs external sources into the document store. Stands on the app's DocumentsModule, SecretsModule and queues. */
@Module({})
export class ImportingModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ImportingModule,
      providers: [
        { provide: IMPORTING_SETTINGS, useValue: toImportingSettings(config) },
        { provide: DerivedTexts, useValue: { forget: forgetSummary } satisfies DerivedTexts },
        DocumentReplacement,
        KnownItems,
        ItemDownloads,
        ItemOutcomes,
        ItemStoring,
        ItemImport,
        SourceImport,
        SyncSourceProcessor,
        SourceSweeps,
      ],
    };
  }
}
