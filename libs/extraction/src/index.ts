export * from './kit.js';
export { ExtractedTablesModule } from './tables/extracted-tables.module.js';
export { decideTableAccess, getTable, lockTable, type TableActor, type TableNeed } from './tables/table-access.js';
export * from './tables/table-limits.js';
export { type CellRecord, LOW_SCORE } from './tables/cell-record.js';
export {
  GRANT_ROLES,
  type GrantRole,
  type RowRecord,
  rowModeOf,
  type TableExtraction,
  type TableRecord,
  type TableRole,
} from './tables/table-record.js';
export { ExtractedTables, type NewTable, type TableUpdate, type UpdatedTable } from './tables/extracted-tables.js';
export { type EditedRows, ExtractedRows } from './tables/extracted-rows.js';
export {
  ExtractedCells,
  type Highlights,
  MAX_HIGHLIGHTS,
  REVIEW_STATUSES,
  type ReviewStatus,
} from './tables/extracted-cells.js';
export { ROW_STATUSES, type RowFilter, type RowStatus, TableRows } from './tables/table-rows.js';
export {
  type SkipReason,
  type TableChange,
  type TableChangeEntry,
  TableChanges,
  type UndoneChange,
} from './tables/table-changes.js';
export { type GrantedTable, type TableGrant, TableGrants } from './tables/table-grants.js';
export { type TableDatabase, TableDatabases } from './tables/table-databases.js';
export { type ExtractedWrite, writeExtracted, type WrittenRows } from './tables/write-extracted.js';
export { OwnedTables } from './tables/owned-tables.js';
export { type TableOfWorkflow, tablesOfWorkflow } from './tables/tables-of-workflow.js';
export { DocumentsInTables } from './tables/documents-in-tables.js';
