import { ValidationError } from '@app/common';
import { configMessage } from './config-messages.js';
import { folderSource } from './folder/folder-source.js';
import { s3Source } from './s3/s3-source.js';
import { sharepointSource } from './sharepoint/sharepoint-source.js';
import type { SourceConnector } from './source-connector.port.js';
import type { SourceDefinition, SourceSettings, SourceType } from './source-definition.js';
import { sqlSource } from './sql/sql-source.js';

/** As JSON writes what Postgres does not keep. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/;

/** A source as far as one needs it to connect. `config` is in wire names, as it was given. */
export interface SourceAccess {
  type: SourceType;
  config: Record<string, unknown>;
  /** '' for a type that has none. */
  secret: string;
}

type Definition = Pick<SourceDefinition<never>, 'type' | 'batchType' | 'secret'> & {
  parse(config: Record<string, unknown>): Bound;
};

/** A configuration that was checked, with what its type makes of it. */
interface Bound {
  config: Record<string, unknown>;
  destination: string;
  connect(secret: string, settings: SourceSettings): SourceConnector;
}

function bind<C extends Record<string, unknown>>(definition: SourceDefinition<C>): Definition {
  const { type, batchType, secret } = definition;
  const parse = (raw: Record<string, unknown>): Bound => {
    if (UNSTORABLE.test(JSON.stringify(raw)))
      throw new ValidationError({ config: ['Null characters and half characters are not allowed.'] });
    const read = definition.config.safeParse(raw, { error: configMessage });
    if (!read.success) throw toValidationError(read.error.issues);
    const { data } = read;
    return {
      config: data,
      destination: definition.destinationOf(data),
      connect: (password, settings) => definition.connect(data, password, settings),
    };
  };
  return { type, batchType, secret, parse };
}

const DEFINITIONS: Record<SourceType, Definition> = {
  s3: bind(s3Source),
  folder: bind(folderSource),
  sql: bind(sqlSource),
  sharepoint: bind(sharepointSource),
};

/** Every kind of source, and the way to one of them. */
export class SourceConnectors {
  constructor(private readonly settings: SourceSettings) {}

  /** What the secret of this type is, in words; null when there is none. */
  secretOf(type: SourceType): string | null {
    return DEFINITIONS[type].secret;
  }

  /** `source_type` of a batch of its documents. */
  batchTypeOf(type: SourceType): 'direct' | 'sharepoint' | 'sql' {
    return DEFINITIONS[type].batchType;
  }

  /**
   * The configuration with its defaults, and to whom its secret would be sent.
   * @throws ValidationError with keys such as `config.bucket`
   */
  check(type: SourceType, config: Record<string, unknown>): { config: Record<string, unknown>; destination: string } {
    const { config: complete, destination } = DEFINITIONS[type].parse(config);
    return { config: complete, destination };
  }

  /** @throws ValidationError for a configuration that this version does not understand */
  open({ type, config, secret }: SourceAccess): SourceConnector {
    return DEFINITIONS[type].parse(config).connect(secret, this.settings);
  }
}

function toValidationError(issues: readonly { path: PropertyKey[]; message: string }[]): ValidationError {
  const fields: Record<string, string[]> = {};
  for (const { path, message } of issues) (fields[['config', ...path.map(String)].join('.')] ??= []).push(message);
  return new ValidationError(fields);
}
