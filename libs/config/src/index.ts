export { settingsEnvFile, settingsTable, withSettingsTable } from './documents.js';
export {
  ConfigurationError,
  listSettings,
  loadConfig,
  loadDatabaseConfig,
  type AppConfig,
  type SettingRow,
} from './load.js';
export { secretValues } from './secret-values.js';
export { findSuspicions } from './suspicions.js';
export {
  MODEL_CAPABILITIES,
  type ModelCapability,
  type ModelDefinition,
  type ModelPrice,
  type ModelProtocol,
  type ModelTimeouts,
} from './models/model-definition.js';
export { findEncoder, isAnswering, isOnPremises } from './models/model-references.js';
export { isPrivateAddress } from './models/private-address.js';
export type { ConfiguredModels } from './models/read-models.js';
