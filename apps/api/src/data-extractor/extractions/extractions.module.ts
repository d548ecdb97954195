import { ExtractionJobsModule } from '@app/extraction';
import { Module } from '@nestjs/common';
import { ExtractionEventsController } from './extraction-events.controller.js';
import { ExtractionsController } from './extractions.controller.js';

@Module({
  imports: [ExtractionJobsModule],
  controllers: [ExtractionsController, ExtractionEventsController],
})
export class ExtractionsModule {}
