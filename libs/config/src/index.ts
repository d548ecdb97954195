export { settingsEnvFile, settingsTable, withSettingsTable } from './documents.js';
export {
  ConfigurationError,
  listSettings,
  loadConfig,
  loadDatabaseConfig,
  type AppConfig,
  type SettingRow,
} from './load.js';
