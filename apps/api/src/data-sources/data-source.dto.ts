import {
  DATA_SOURCE_LIMITS as LIMITS,
  type DataSourceDraft,
  type DataSourceRecord,
  type KnownType,
  SOURCE_TYPES,
  SSL_MODES,
  type SslMode,
  UNSUPPORTED_TYPES,
} from '@app/data-sources';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  StringField,
} from '../http/fields.js';

const STATUSES = ['untested', 'ok', 'error'];
const TYPES = [...SOURCE_TYPES, ...UNSUPPORTED_TYPES];
const TYPE = 'MariaDB is a `mysql`. mssql, bigquery and snowflake are refused.';
const SSL = 'disable (hosts that the deployment lists alone), require (whoever it is), verify-full.';
const SCHEMAS = 'Schemas that are shown and searched for tables; of MySQL, databases. Empty: all that the user sees.';
const schemaName = kinds.string({ maxLength: LIMITS.schemaCharacters, trim: false });

export class UpdateDataSourceRequest {
  @StringField({ optional: true, maxLength: LIMITS.nameCharacters })
  name?: string;

  @ChoiceField(TYPES, { optional: true, description: `It stays as it is. ${TYPE}` })
  type?: KnownType;

  @StringField({ optional: true, maxLength: LIMITS.hostCharacters, description: 'A name or an address; no path.' })
  host?: string;

  @IntegerField({ optional: true, min: 1, max: 65_535 })
  port?: number;

  @StringField({ optional: true, maxLength: LIMITS.databaseCharacters, trim: false })
  database?: string;

  @StringField({ optional: true, maxLength: LIMITS.usernameCharacters, trim: false })
  username?: string;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    trim: false,
    maxLength: LIMITS.secretCharacters,
    description:
      'The password; never shown again. Absent: stays; empty or null: none. Required anew where host, port, database or user change, or the encryption is weakened.',
  })
  secret?: string | null;

  @ChoiceField(SSL_MODES, { optional: true, description: SSL })
  ssl_mode?: SslMode;

  @ListField(schemaName, { optional: true, maxItems: LIMITS.schemas, description: SCHEMAS })
  schemas?: string[];
}

export class CreateDataSourceRequest extends UpdateDataSourceRequest {
  @StringField({ maxLength: LIMITS.nameCharacters })
  declare name: string;

  @ChoiceField(TYPES, { description: TYPE })
  declare type: KnownType;

  @StringField({ maxLength: LIMITS.hostCharacters, description: 'A name or an address; no path.' })
  declare host: string;

  @IntegerField({ optional: true, min: 1, max: 65_535, description: '5432 or 3306 unless told.' })
  declare port?: number;

  @StringField({ maxLength: LIMITS.databaseCharacters, trim: false })
  declare database: string;

  @StringField({ maxLength: LIMITS.usernameCharacters, trim: false })
  declare username: string;

  @ChoiceField(SSL_MODES, { optional: true, description: `verify-full unless told. ${SSL}` })
  declare ssl_mode?: SslMode;
}

export function toDataSourceDraft(body: UpdateDataSourceRequest): DataSourceDraft {
  const { name, type, host, port, database, username, secret, ssl_mode: sslMode, schemas } = body;
  return { name, type, host, port, database, username, secret: secret === null ? '' : secret, sslMode, schemas };
}

export class DataSourceResponse {
  @IntegerField()
  id: number;

  @StringField({ description: '`ds:<id>`, by which queries name it.' })
  ref: string;

  @StringField()
  name: string;

  @ChoiceField(SOURCE_TYPES)
  type: string;

  @StringField()
  host: string;

  @IntegerField()
  port: number;

  @StringField()
  database: string;

  @StringField()
  username: string;

  @BooleanField()
  has_secret: boolean;

  @ChoiceField(SSL_MODES)
  ssl_mode: SslMode;

  @ListField(kinds.string(), { description: SCHEMAS })
  schemas: string[];

  @ChoiceField(STATUSES)
  status: string;

  @DateTimeField({ nullable: true })
  last_ok_at: Date | null;

  @StringField({ description: 'In words; empty while nothing is wrong.' })
  last_error: string;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export function toDataSourceResponse(source: DataSourceRecord): DataSourceResponse {
  return {
    id: source.id,
    ref: `ds:${source.id}`,
    name: source.name,
    type: source.type,
    host: source.host,
    port: source.port,
    database: source.database,
    username: source.username,
    has_secret: source.hasSecret,
    ssl_mode: source.sslMode,
    schemas: source.schemas,
    status: source.status,
    last_ok_at: source.lastOkAt,
    last_error: source.lastError,
    created_at: source.createdAt,
    updated_at: source.updatedAt,
  };
}
