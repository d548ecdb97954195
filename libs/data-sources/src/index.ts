export { DataSourcesModule } from './data-sources.module.js';
export type {
  BoundType,
  BoundValue,
  SourceCell,
  SourceColumn,
  SourceColumnType,
  SourceOutcome,
  SourceResult,
  SourceStatement,
} from './sessions/result-shapes.js';
export { SourceFailure, type SourceFailureCode } from './sessions/source-failure.js';
export { SourceGuard } from './sessions/source-guard.js';
export { SourceSessions } from './sessions/source-sessions.js';
export { DataSourceEdits } from './sources/data-source-edits.js';
export { DataSources } from './sources/data-sources.js';
export { OwnedDataSources } from './sources/owned-data-sources.js';
export {
  DATA_SOURCE_LIMITS,
  type DatabaseType,
  type DataSourceDraft,
  type DataSourceRecord,
  type DescribedSource,
  type KnownType,
  SOURCE_TYPES,
  SSL_MODES,
  type SslMode,
  UNSUPPORTED_TYPES,
} from './sources/source-shapes.js';
export { StoredSources, type StoredSource } from './sources/stored-source.js';
