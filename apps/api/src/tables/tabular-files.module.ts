import { Module } from '@nestjs/common';
import { DatabaseFilesController } from '../database-search/files/database-files.controller.js';
import { DatabaseFoldersController } from '../database-search/files/database-folders.controller.js';
import { SpreadsheetFilesController } from '../spreadsheet-search/files/spreadsheet-files.controller.js';
import { TabularUploads } from '../tabular-files/tabular-uploads.js';

/**
 * The files of the database and the spreadsheet store (docs/contract/tables.md#files). Stands on the app's
 * TabularModule.
 */
@Module({
  controllers: [DatabaseFoldersController, DatabaseFilesController, SpreadsheetFilesController],
  providers: [TabularUploads],
})
export class TabularFilesModule {}
