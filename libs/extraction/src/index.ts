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
export { type DeskCall, DeskChanges, type DeskOutcome, type TurnChange } from './desk/desk-changes.js';
export { type CellEdit, type CellToVerify, type RowEvidence, type RowToAdd, TableDesk } from './desk/table-desk.js';
export { TableDeskModule } from './desk/table-desk.module.js';
export { ExtractionJobsModule } from './extractions/extraction-jobs.module.js';
export { Extractions, MAX_DOCUMENTS, type NewExtraction, type WholeExtraction } from './extractions/extractions.js';
export { ExtractionFollowers, type ToldEvent } from './extractions/extraction-followers.js';
export { ExtractionTasks, type ExtractionTask } from './extractions/extraction-tasks.js';
export { extractionWork, ITEM_TRIES, type ClaimedItem } from './extractions/extraction-work.js';
export { listRowsOfSources } from './extractions/shown-rows.js';
export { combineRows, needsModel, withoutModel } from './extractions/combine-rows.js';
export { EXTRACTION_MODES, EXTRACTION_STATES, ITEM_STATES, isEnded } from './extractions/extraction-states.js';
export type {
  ExtractionMode,
  ExtractionProgress,
  ExtractionState,
  ItemState,
} from './extractions/extraction-states.js';
export type { ExtractionItemRecord, ExtractionRecord } from './extractions/extraction-records.js';
export { ModelExtractor, type ModelExtraction } from './model/model-extractor.js';
export { ModelStoppedError } from './model/model-stopped.error.js';
export type { JudgedCell } from './model/judged-cell.js';
export { DocumentsInTables } from './tables/documents-in-tables.js';
