import { Module } from '@nestjs/common';
import { InsightWriter } from './insight-writer.js';
import { Summaries } from './summaries.js';
import { SummaryClaims } from './summary-claims.js';

/** Stands on the app's DatabaseModule, QueuesModule and IntegrationsModule. */
@Module({
  providers: [InsightWriter, Summaries, SummaryClaims],
  exports: [InsightWriter, Summaries, SummaryClaims],
})
export class InsightsModule {}
