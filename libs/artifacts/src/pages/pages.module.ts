import { Clock, SystemClock } from '@app/common';
import { Module } from '@nestjs/common';
import { ArtifactLinks } from '../artifacts/artifact-links.js';
import { ArtifactsModule } from '../artifacts/artifacts.module.js';
import { ArtifactRefreshes } from '../results/artifact-refreshes.js';
import { PageResults } from '../results/page-results.js';
import { ResultRows } from '../results/result-rows.js';
import { ResultSweeps } from '../results/result-sweeps.js';
import { PageViews } from './page-views.js';
import { ViewerTokens } from './viewer-tokens.js';

/** Showing pages, and what their queries give. Needs `SecretsModule`, `DocumentsModule` and `QueuesModule`. */
@Module({
  imports: [ArtifactsModule],
  providers: [
    { provide: Clock, useClass: SystemClock },
    ViewerTokens,
    PageViews,
    ArtifactLinks,
    PageResults,
    ResultRows,
    ResultSweeps,
    ArtifactRefreshes,
  ],
  exports: [PageViews, ArtifactLinks, PageResults, ArtifactRefreshes, ViewerTokens],
})
export class PagesModule {}
