import type { AppConfig } from '@app/config';
import { DocumentsModule } from '@app/documents';
import { DatabaseModule } from '@app/entities';
import { EntitlementsModule } from '@app/entitlements';
import { IntegrationsModule } from '@app/integrations';
import { LiveModule } from '@app/live';
import { ModelsModule } from '@app/models';
import { ObservabilityModule } from '@app/observability';
import { QueuesModule } from '@app/queues';
import { ChunkIndex, InsightsModule } from '@app/retrieval';
import { SecretsModule } from '@app/secrets';
import { WorkModule } from '@app/work';
import { type DynamicModule, Module } from '@nestjs/common';
import { HealthChecks } from './health-checks.js';
import { INDEXER_SETTINGS, type IndexerSettings } from './indexer-settings.js';
import { DocumentIndexing } from './indexing/document-indexing.js';
import { TableExtractionModule } from './extraction/extraction.module.js';
import { ExtractorProcesses } from './indexing/extractor-processes.js';
import { ImportingModule } from './importing/importing.module.js';
import { IndexDocumentProcessor } from './indexing/index-document.processor.js';
import { SummariseDocumentProcessor } from './insights/summarise-document.processor.js';
import { DocumentExtractor } from './pipeline/document-extractor.js';
import { DrawThumbnailProcessor } from './thumbnails/draw-thumbnail.processor.js';
import { MirrorShareProcessor } from './sharing/mirror-share.processor.js';
import { ReindexSweeper } from './sweepers/reindex-sweeper.js';
import { Sweeps } from './sweepers/sweeps.js';
import { TableImportModule } from './tabular/table-import.module.js';

/** They wait for a model most of the time. */
const SUMMARIES_AT_ONCE = 4;

/** So do extractions; reading takes its turns in the processes that read. */
const EXTRACTIONS_AT_ONCE = 4;

/** They wait for somebody else's server most of the time. */
const IMPORTS_AT_ONCE = 2;

/** So do they. */
const SHARES_AT_ONCE = 2;

/** The indexer: reads documents that the queue names, and keeps the store in order. */
@Module({})
export class IndexerModule {
  static forRoot(config: AppConfig, settings: IndexerSettings): DynamicModule {
    return {
      module: IndexerModule,
      imports: [
        DatabaseModule.forRoot(config, 'atrium-indexer'),
        QueuesModule.forRoot(config, {
          consumes: {
            indexing: settings.concurrency,
            insights: SUMMARIES_AT_ONCE,
            thumbnails: 1,
            imports: IMPORTS_AT_ONCE,
            tables: 1,
            extractions: EXTRACTIONS_AT_ONCE,
            shares: SHARES_AT_ONCE,
          },
        }),
        WorkModule.forRoot(config, 'indexer'),
        LiveModule.forRoot(config),
        IntegrationsModule.forRoot(config),
        ModelsModule.forRoot(config),
        ObservabilityModule,
        SecretsModule.forRoot(config),
        EntitlementsModule.forRoot(config),
        DocumentsModule,
        ImportingModule.forRoot(config),
        InsightsModule,
        TableImportModule.forRoot(config, settings),
        TableExtractionModule.forRoot(settings),
      ],
      providers: [
        { provide: INDEXER_SETTINGS, useValue: settings },
        { provide: DocumentExtractor, useFactory: () => createExtractor(settings) },
        ChunkIndex,
        ExtractorProcesses,
        DocumentIndexing,
        IndexDocumentProcessor,
        ReindexSweeper,
        SummariseDocumentProcessor,
        DrawThumbnailProcessor,
        MirrorShareProcessor,
        Sweeps,
        HealthChecks,
      ],
    };
  }
}

function createExtractor({ childEntry, concurrency, extractionTimeoutSeconds }: IndexerSettings): DocumentExtractor {
  return new DocumentExtractor({ childEntry, concurrency, limits: { totalMs: extractionTimeoutSeconds * 1000 } });
}
