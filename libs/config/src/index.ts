export {
  ConfigurationError,
  listSettings,
  loadConfig,
  loadDatabaseConfig,
  type AppConfig,
  type SettingRow,
} from './load.js';
