import { Module } from '@nestjs/common';
import { ExtractedCells } from './extracted-cells.js';
import { ExtractedRows } from './extracted-rows.js';
import { ExtractedTables } from './extracted-tables.js';
import { TableChanges } from './table-changes.js';
import { TableDatabases } from './table-databases.js';
import { TableGrants } from './table-grants.js';
import { TableRows } from './table-rows.js';

const SERVICES = [ExtractedCells, ExtractedRows, ExtractedTables, TableChanges, TableDatabases, TableGrants, TableRows];

/** Extracted tables, for apps with a database, the audit log, a clock and `AddressTrust`. */
@Module({ providers: SERVICES, exports: SERVICES })
export class ExtractedTablesModule {}
