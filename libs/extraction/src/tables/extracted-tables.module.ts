import { Clock, SystemClock } from '@app/common';
import { Module } from '@nestjs/common';
import { ExtractedCells } from './extracted-cells.js';
import { ExtractedRows } from './extracted-rows.js';
import { ExtractedTables } from './extracted-tables.js';
import { TableChanges } from './table-changes.js';
import { TableDatabases } from './table-databases.js';
import { TableRows } from './table-rows.js';

const SERVICES = [ExtractedCells, ExtractedRows, ExtractedTables, TableChanges, TableDatabases, TableRows];

/** Extracted tables, for apps with a database and the audit log. */
@Module({ providers: [...SERVICES, { provide: Clock, useClass: SystemClock }], exports: SERVICES })
export class ExtractedTablesModule {}
