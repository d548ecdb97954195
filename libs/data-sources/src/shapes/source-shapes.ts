/** What can be connected here. MariaDB is a `mysql`. */
export const SOURCE_TYPES = ['postgres', 'mysql'] as const;
export type DatabaseType = (typeof SOURCE_TYPES)[number];

/** Known by name, and refused by it: nothing is saved that could never be read. */
export const UNSUPPORTED_TYPES = ['mssql', 'bigquery', 'snowflake'] as const;
export type KnownType = DatabaseType | (typeof UNSUPPORTED_TYPES)[number];

/** `require` encrypts without knowing to whom; `disable` is for hosts that the deployment lists. */
export const SSL_MODES = ['disable', 'require', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

export type SourceStatus = 'untested' | 'ok' | 'error';

export const DATA_SOURCE_LIMITS = {
  /** Of one account. */
  sources: 20,
  nameCharacters: 100,
  hostCharacters: 253,
  databaseCharacters: 63,
  usernameCharacters: 128,
  secretCharacters: 5000,
  schemas: 100,
  schemaCharacters: 64,
} as const;

/** A source as its owner sees it: never with its secret. */
export interface DataSourceRecord {
  id: number;
  ownerId: number;
  name: string;
  type: DatabaseType;
  host: string;
  port: number;
  database: string;
  username: string;
  hasSecret: boolean;
  sslMode: SslMode;
  schemas: string[];
  revision: number;
  status: SourceStatus;
  lastOkAt: Date | null;
  lastError: string;
  createdAt: Date;
  updatedAt: Date;
}

/** What others are told of a source. */
export interface DescribedSource {
  id: number;
  type: DatabaseType;
  name: string;
}

/** What a client wants a source to be; absent fields stay as they are, or take their default. */
export interface DataSourceDraft {
  name?: string | undefined;
  type?: KnownType | undefined;
  host?: string | undefined;
  port?: number | undefined;
  database?: string | undefined;
  username?: string | undefined;
  /** Empty: none. */
  secret?: string | undefined;
  sslMode?: SslMode | undefined;
  schemas?: string[] | undefined;
}
