import { Global, Module } from '@nestjs/common';
import { ExtractionFollowers } from './extraction-followers.js';
import { ExtractionTasks } from './extraction-tasks.js';
import { Extractions } from './extractions.js';

/** Extractions of documents into tables. Needs the database, the queues, the work and the live channel of the app that imports it. */
@Global()
@Module({
  providers: [Extractions, ExtractionFollowers, ExtractionTasks],
  exports: [Extractions, ExtractionFollowers, ExtractionTasks],
})
export class ExtractionJobsModule {}
