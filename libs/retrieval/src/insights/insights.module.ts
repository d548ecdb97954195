import { Module } from '@nestjs/common';
import { InsightWriter } from './insight-writer.js';
import { Summaries } from './summaries.js';
import { SummaryWriting } from './summary-writing.js';

/** Stands on the app's DatabaseModule, QueuesModule and IntegrationsModule. */
@Module({
  providers: [InsightWriter, Summaries, SummaryWriting],
  exports: [InsightWriter, Summaries, SummaryWriting],
})
export class InsightsModule {}
