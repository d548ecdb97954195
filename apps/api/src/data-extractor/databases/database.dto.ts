import { ONE_LINE } from '@app/common';
import { MAX_TABLE_NAME, type TableDatabase } from '@app/extraction';
import { DateTimeField, IntegerField, kinds, ListField, StringField, UuidField } from '../../http/fields.js';

const TABLE_IDS = { optional: true, description: 'Tables that are yours or shared with you.' } as const;

export class TableDatabaseResponse {
  @UuidField()
  tables_database_id: string;

  @StringField()
  name: string;

  @StringField({ description: 'Address of the owner.' })
  email: string;

  @StringField({ description: 'Of the owner; empty when there is none.' })
  organization_name: string;

  @ListField(kinds.uuid(), { description: 'Without those that are gone, or not shared with you any more.' })
  table_ids: string[];

  @IntegerField()
  tables_count: number;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export function toTableDatabaseResponse(database: TableDatabase): TableDatabaseResponse {
  return {
    tables_database_id: database.id,
    name: database.name,
    email: database.email,
    organization_name: database.organizationName,
    table_ids: database.tableIds,
    tables_count: database.tableIds.length,
    created_at: database.createdAt,
    updated_at: database.updatedAt,
  };
}

export class TableDatabasesResponse {
  @IntegerField()
  count: number;

  @ListField(() => TableDatabaseResponse)
  tables_databases: TableDatabaseResponse[];
}

export class CreateTableDatabaseRequest {
  @StringField({ maxLength: MAX_TABLE_NAME, ...ONE_LINE })
  name: string;

  @ListField(kinds.uuid(), TABLE_IDS)
  table_ids?: string[];
}

export class UpdateTableDatabaseRequest {
  @StringField({ optional: true, maxLength: MAX_TABLE_NAME, ...ONE_LINE })
  name?: string;

  @ListField(kinds.uuid(), TABLE_IDS)
  table_ids?: string[];
}

export class DeletedTableDatabaseResponse {
  @StringField()
  message: string;

  @UuidField()
  tables_database_id: string;
}
