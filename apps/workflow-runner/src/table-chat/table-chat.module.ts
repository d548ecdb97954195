import { ExtractedTables, TableDesk, TableDeskModule, TableRows } from '@app/extraction';
import { QueryRunner } from '@app/tabular';
import { type DynamicModule, Module } from '@nestjs/common';
import { RowDatabases } from './row-databases.js';
import { TableTools } from './table-tools.js';

/** What turns at extracted tables rest on. */
@Module({})
export class TableChatModule {
  /** @param ports the module with the app's `QueryRunner` */
  static forRoot(ports: DynamicModule): DynamicModule {
    return {
      module: TableChatModule,
      imports: [ports, TableDeskModule],
      providers: [
        ExtractedTables,
        TableRows,
        RowDatabases,
        {
          provide: TableTools,
          inject: [ExtractedTables, TableRows, TableDesk, RowDatabases, QueryRunner],
          useFactory: (...parts: ConstructorParameters<typeof TableTools>) => new TableTools(...parts),
        },
      ],
      exports: [ExtractedTables, RowDatabases, TableTools, TableDeskModule],
    };
  }
}
