export { TabularDatabases, tabularFileNotFound, type OpenTabularDatabase } from './databases/tabular-databases.js';
export { StoredFiles } from './files/stored-files.port.js';
export {
  findTabularFileByUid,
  tabularFileColumns,
  type TabularFileRecord,
  type TabularState,
  type TabularStore,
} from './files/tabular-file-columns.js';
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
} from './files/tabular-table.js';
export { ImportRequests } from './importing/import-requests.js';
export { TabularModule } from './tabular.module.js';
