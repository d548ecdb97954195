import { Global, Module } from '@nestjs/common';
import { DatabaseQueries } from './database-queries.js';
import { FileQueries } from './file-queries.js';
import { OwnedSourceQueries } from './owned-source-queries.js';
import { SourceQueries } from './source-queries.js';

/**
 * `SourceQueries`. Needs the app's database, `TabularModule`, `TableQuestionsModule` (which has the query process) and
 * `DataSourcesModule`, all global.
 */
@Global()
@Module({
  providers: [FileQueries, DatabaseQueries, { provide: SourceQueries, useClass: OwnedSourceQueries }],
  exports: [SourceQueries],
})
export class ArtifactQueriesModule {}
