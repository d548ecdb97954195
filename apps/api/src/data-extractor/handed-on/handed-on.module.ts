import { AccountProfiles } from '@app/auth';
import { ReadableDocuments } from '@app/documents';
import { Module } from '@nestjs/common';
import { ServiceCallers } from './service-callers.js';
import { ServiceTables } from './service-tables.js';
import { ServiceTablesController } from './service-tables.controller.js';
import { ServiceWorkController } from './service-work.controller.js';

/** Extracted tables of a separate service: `EXTRACTOR=http` (docs/contract/extractor-service.md). */
@Module({
  controllers: [ServiceTablesController, ServiceWorkController],
  providers: [AccountProfiles, ReadableDocuments, ServiceCallers, ServiceTables],
})
export class HandedOnModule {}
