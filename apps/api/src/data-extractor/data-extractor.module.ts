import { DocumentMedia, ThumbnailFiles } from '@app/documents';
import { ExtractedTablesModule, ExtractionJobsModule, TableGrants } from '@app/extraction';
import { Module } from '@nestjs/common';
import { TableChangesController } from './changes/changes.controller.js';
import { TableDatabasesController } from './databases/databases.controller.js';
import { EvidenceController } from './evidence/evidence.controller.js';
import { EvidenceFiles } from './evidence/evidence-files.js';
import { TableExportController } from './export/export.controller.js';
import { ExtractionEventsController } from './extractions/extraction-events.controller.js';
import { ExtractionsController } from './extractions/extractions.controller.js';
import { ExtractedRowsController } from './rows/rows.controller.js';
import { TableGrantsController } from './sharing/grants.controller.js';
import { ExtractedTablesController } from './tables/tables.controller.js';

/** Extracted tables over HTTP (docs/contract/extracted-tables.md). */
@Module({
  imports: [ExtractedTablesModule, ExtractionJobsModule],
  controllers: [
    ExtractedTablesController,
    ExtractedRowsController,
    EvidenceController,
    TableExportController,
    TableChangesController,
    TableGrantsController,
    TableDatabasesController,
    ExtractionsController,
    ExtractionEventsController,
  ],
  providers: [TableGrants, DocumentMedia, ThumbnailFiles, EvidenceFiles],
})
export class DataExtractorModule {}
