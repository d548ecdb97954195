export { SourceConnector, type SourceItem, type SourcePage } from './source-connector.port.js';
export { SourceConnectors, type SourceAccess } from './source-connectors.js';
export { SOURCE_TYPES, type SourceSettings, type SourceType } from './source-definition.js';
export { containPostgres } from './sql/contain-postgres.js';
export { SourceError, type SourceFailure } from './source-error.js';
