import { DATA_SOURCE_LIMITS as LIMITS, type SchemaTable, type SourceProbeResult } from '@app/data-sources';
import { BooleanField, ChoiceField, kinds, ListField, StringField, IntegerField, NestedField } from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';
import { DataSourceResponse, toDataSourceResponse } from './data-source.dto.js';

const TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'datetime', 'json'];

export class DataSourceTestResponse {
  @BooleanField()
  ok: boolean;

  @StringField({ description: 'What is wrong, in words; empty when it worked.' })
  error: string;

  @ListField(kinds.string(), { description: 'What the user may do beyond reading, and what is not encrypted.' })
  warnings: string[];

  @StringField({ description: 'Of the database; empty when it did not work.' })
  version: string;

  @IntegerField()
  latency_ms: number;

  @NestedField(() => DataSourceResponse, { description: 'As it stands after the test.' })
  source: DataSourceResponse;
}

export function toTestResponse(probe: SourceProbeResult): DataSourceTestResponse {
  const { ok, error, warnings, version, latencyMs, source } = probe;
  return { ok, error, warnings, version, latency_ms: latencyMs, source: toDataSourceResponse(source) };
}

export class SchemaPageQuery extends PageQuery {
  @StringField({ optional: true, maxLength: LIMITS.schemaCharacters, trim: false, description: 'One of the schemas.' })
  schema?: string;

  @StringField({
    form: 'NFC',
    optional: true,
    allowBlank: true,
    maxLength: 100,
    description: 'A part of the name of a table.',
  })
  search?: string;
}

class SchemaColumnResponse {
  @StringField()
  name: string;

  @ChoiceField(TYPES, { description: 'As results of queries have it.' })
  type: string;

  @StringField({ description: 'As the database writes it.' })
  native_type: string;

  @BooleanField()
  nullable: boolean;
}

export class SchemaTableResponse {
  @StringField({ description: 'Of MySQL, the database.' })
  schema: string;

  @StringField()
  name: string;

  @ChoiceField(['table', 'view'])
  kind: string;

  @StringField()
  comment: string;

  @ListField(() => SchemaColumnResponse, { description: '300 at most.' })
  columns: SchemaColumnResponse[];

  @BooleanField({ description: 'Whether it has more.' })
  columns_truncated: boolean;
}

export class SchemaPageResponse extends PageOf(SchemaTableResponse) {}

export function toTableResponse(table: SchemaTable): SchemaTableResponse {
  const { schema, name, kind, comment, columns, columnsTruncated } = table;
  return {
    schema,
    name,
    kind,
    comment,
    columns: columns.map((column) => ({
      name: column.name,
      type: column.type,
      native_type: column.nativeType,
      nullable: column.nullable,
    })),
    columns_truncated: columnsTruncated,
  };
}
