import type { AppConfig } from '@app/config';
import { LooseFiles } from '@app/entitlements';
import { TabularModule } from '@app/tabular';
import { type DynamicModule, Module } from '@nestjs/common';
import { ImportSweeps } from './import-sweeps.js';
import { IMPORT_SETTINGS, toImportSettings } from './import-settings.js';
import { ImportTableProcessor } from './import-table.processor.js';
import { TableImport } from './table-import.js';

/** The imports of the database and spreadsheet stores. Stands on the indexer's DocumentsModule. */
@Module({})
export class TableImportModule {
  static forRoot(config: AppConfig, process: { importEntry: string }): DynamicModule {
    return {
      module: TableImportModule,
      imports: [TabularModule.forRoot(LooseFiles)],
      providers: [
        { provide: IMPORT_SETTINGS, useValue: toImportSettings(config, process) },
        TableImport,
        ImportTableProcessor,
        ImportSweeps,
      ],
    };
  }
}
