export { freeName, toAskedTables, type AskedTable } from './answering/asked-table.js';
export type { PastTurn } from './answering/prompts.js';
export { TableProfiles } from './answering/table-profiles.js';
export { TableQuestionsModule } from './answering/table-questions.module.js';
export {
  TableQuestions,
  type PreparedQuestion,
  type ResultNotes,
  type TableAnswer,
} from './answering/table-questions.js';
export { tablesInWords } from './answering/tables-in-words.js';
export { THOUGHT_TYPES, type Thought, type ThoughtType } from './answering/thought.js';
export { CHART_TYPES, chooseChart, type Chart, type ChartType } from './charts/choose-chart.js';
export {
  DRAWN_TYPES,
  drawRows,
  type Drawing,
  type DrawnType,
  isDrawnType,
  type ItemLimits,
  type Rows,
  rowsOfItems,
} from './charts/draw-rows.js';
export { TabularDatabases, tabularFileNotFound, type OpenTabularDatabase } from './databases/tabular-databases.js';
export { StoredFiles } from './records/stored-files.port.js';
export {
  findTabularFileByUid,
  tabularFileColumns,
  type TabularFileRecord,
  type TabularState,
  type TabularStore,
} from './records/tabular-file-columns.js';
export { OwnedTabularFiles } from './files/owned-tabular-files.js';
export { TabularFolders } from './files/tabular-folders.js';
export { TabularFiles, type NewTabularFile, type RequestedImport } from './files/tabular-files.js';
export { findTabularUidInPath, tabularDatabaseKey } from './files/tabular-media-path.js';
export {
  TABULAR_LIMITS,
  TABULAR_TYPES,
  type TabularColumn,
  type TabularContents,
  type TabularOptions,
  type TabularSheet,
  type TabularTable,
  type TabularType,
} from './records/tabular-table.js';
export { importWork, MAX_IMPORT_TRIES, type ClaimedImport } from './importing/import-work.js';
export { Imports } from './importing/imports.js';
export { WAITING_IMPORTS } from './importing/waiting-imports.js';
export { ImportRequests } from './importing/import-requests.js';
export { QueryError } from './query/query-error.js';
export type {
  BoundParameter,
  Cell,
  Evidence,
  ParameterType,
  LoadedColumn,
  QueriedFile,
  QueryResult,
  ResultColumn,
  ScopedStatement,
} from './query/query-messages.js';
export type { FailedStatement, OutcomeCode, StatementOutcome } from './query/each-process.js';
export { QueryRunner } from './query/query-runner.js';
export { TabularModule } from './tabular.module.js';
export { listImportedTables, type ImportedTables } from './files/imported-tables.js';
export { TabularMedia } from './files/tabular-media.js';
export { pageTableFiles, type PagedTableFile } from './files/table-files-page.js';
export { tableFilesAmong } from './files/table-files-among.js';
export { findKnownTableFiles } from './files/known-table-files.js';
export { findTableFile } from './files/table-file.js';
export { findTableSources, type TableSource } from './files/table-sources.js';
