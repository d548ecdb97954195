import { ExtractionJobsModule } from '@app/extraction';
import { type DynamicModule, Module } from '@nestjs/common';
import { INDEXER_SETTINGS, type IndexerSettings } from '../indexer-settings.js';
import { DocumentExtraction } from './document-extraction.js';
import { ExtractDocumentProcessor } from './extract-document.processor.js';

/** Reads documents into extracted tables. */
@Module({})
export class TableExtractionModule {
  static forRoot(settings: IndexerSettings): DynamicModule {
    return {
      module: TableExtractionModule,
      imports: [ExtractionJobsModule],
      providers: [{ provide: INDEXER_SETTINGS, useValue: settings }, DocumentExtraction, ExtractDocumentProcessor],
    };
  }
}
