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
  MODEL_PROTOCOLS,
  type ModelCapability,
  type ModelDefinition,
  type ModelPrice,
  type ModelProtocol,
  type ModelTimeouts,
} from './models/model-definition.js';
export { findEncoder, isAnswering, isOnPremises } from './models/model-references.js';
export { isPrivateAddress } from './models/private-address.js';
export { endpointOf } from './models/protocol-of.js';
export type { ConfiguredModels, ModelPatience } from './models/read-models.js';
export {
  addressOfRegistered,
  defineRegistered,
  type FieldProblem,
  mistakesOfHeaders,
  readRegisteredModel,
  type RegisteredModel,
} from './models/registered-model.js';
