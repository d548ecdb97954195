export { DataSourcesModule } from './data-sources.module.js';
export { SourceProbe, type Probe as SourceProbeResult } from './probe/source-probe.js';
export { SchemaBrowser, type SchemaTable } from './schema/schema-browser.js';
export type { SourceOutcome, SourceResult, SourceStatement } from './shapes/result-shapes.js';
export { SourceFailure } from './shapes/source-failure.js';
export { openSession } from './sessions/open-session.js';
export { SourceGuard } from './sources/source-guard.js';
export { SourceSessions } from './sessions/source-sessions.js';
export { DataSourceEdits } from './sources/data-source-edits.js';
export { DataSources } from './sources/data-sources.js';
export { SourceOutcomes } from './sources/source-outcomes.js';
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
} from './shapes/source-shapes.js';
export { StoredSources, type StoredSource } from './sources/stored-source.js';
