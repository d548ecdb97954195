import { ONE_LINE, ValidationError } from '@app/common';
import {
  MAX_ROWS,
  MAX_TABLE_NAME,
  type NewTable,
  ROW_STATUSES,
  type RowStatus,
  type TableRecord,
  type TableRole,
  type TableUpdate,
  type UpdatedTable,
} from '@app/extraction';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
} from '../../http/fields.js';
import { RowResponse } from '../rows/row.dto.js';
import { ColumnBody, toColumnBody, toTableColumn } from './column.dto.js';

/** One more is told of by the rule of the table itself. */
const COLUMNS = { maxItems: 1_000 } as const;
const ROWS = {
  optional: true,
  maxItems: MAX_ROWS,
  description: 'Objects with `data` (values by name of column), and `source_uid` and `filename` where they have one.',
} as const;

export class OrganizationQuery {
  @StringField({ optional: true, maxLength: 255, description: 'Those of owners in this organisation.' })
  organization_name?: string;
}

export class TablesByIdQuery {
  @ListField(kinds.string({ maxLength: 100 }), { minItems: 1, maxItems: 100, commaSeparated: true })
  ids: string[];
}

export class TableQuery {
  @IntegerField({ optional: true, min: 1, max: 10_000, description: 'So many rows at most; all unless told.' })
  limit?: number;

  @UuidField({ optional: true, description: '`next_cursor` of the page before.' })
  cursor?: string;

  @StringField({ form: 'NFC', optional: true, maxLength: 200, description: 'Rows that hold this text in any value.' })
  query?: string;

  @ChoiceField(ROW_STATUSES, { optional: true, description: 'Rows with a cell like that.' })
  status?: RowStatus;
}

class TableExtractionResponse {
  @UuidField()
  id: string;

  @StringField()
  state: string;

  @IntegerField()
  total: number;

  @IntegerField()
  completed: number;

  @IntegerField()
  failed: number;
}

/** A table without its rows. */
class TableHead {
  @UuidField()
  table_id: string;

  @StringField()
  table_name: string;

  @StringField({ description: 'Address of the owner.' })
  email: string;

  @StringField({ description: 'Of the owner; empty when there is none.' })
  organization_name: string;

  @ListField(() => ColumnBody)
  columns: ColumnBody[];

  @ObjectField()
  metadata: Record<string, unknown>;

  @ChoiceField(['owner', 'editor', 'viewer'])
  my_role: TableRole;

  @IntegerField()
  rows_count: number;

  @NestedField(() => TableExtractionResponse, { nullable: true, description: 'The newest extraction.' })
  extraction: TableExtractionResponse | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export class TableResponse extends TableHead {
  @ListField(() => RowResponse, { description: 'In their order. Empty in the list of all tables.' })
  rows: RowResponse[];

  @UuidField({ optional: true, nullable: true, description: 'Only with `limit`: where the next page goes on.' })
  next_cursor?: string | null;
}

export class TablesResponse {
  @IntegerField()
  count: number;

  @ListField(() => TableResponse)
  tables: TableResponse[];
}

export function toTableHead(table: TableRecord): TableHead {
  return {
    table_id: table.id,
    table_name: table.name,
    email: table.email,
    organization_name: table.organizationName,
    columns: table.columns.map(toColumnBody),
    metadata: table.metadata,
    my_role: table.role,
    rows_count: table.rowsCount,
    extraction: table.extraction,
    created_at: table.createdAt,
    updated_at: table.updatedAt,
  };
}

export class CreateTableRequest {
  @StringField({ maxLength: MAX_TABLE_NAME, ...ONE_LINE })
  table_name: string;

  @ListField(() => ColumnBody, COLUMNS)
  columns: ColumnBody[];

  @ListField(kinds.any(), { ...ROWS, nullable: true })
  rows?: unknown[] | null;

  @ObjectField({ optional: true, nullable: true, description: 'At most 64 KiB. `row_mode`: `document` or `items`.' })
  metadata?: Record<string, unknown> | null;

  @UuidField({ optional: true, nullable: true, description: 'The workflow that makes it: the table goes with it.' })
  workflow_id?: string | null;
}

export function toNewTable(body: CreateTableRequest): NewTable {
  return {
    name: body.table_name,
    columns: body.columns.map(toTableColumn),
    rows: body.rows ?? null,
    metadata: body.metadata ?? {},
    workflowId: body.workflow_id ?? null,
  };
}

export class CreatedTableResponse {
  @UuidField()
  table_id: string;
}

export class UpdateTableRequest {
  @StringField({ optional: true, maxLength: MAX_TABLE_NAME, ...ONE_LINE })
  table_name?: string;

  @ListField(() => ColumnBody, { optional: true, ...COLUMNS, description: 'All of them: the others are removed.' })
  columns?: ColumnBody[];

  @ObjectField({ optional: true, description: 'Its keys take the place of those that are there.' })
  metadata?: Record<string, unknown>;

  @ListField(kinds.any(), ROWS)
  rows?: unknown[];

  @BooleanField({ default: false, description: 'Whether `rows` take the place of every stored row.' })
  replace_rows: boolean;
}

/** @throws ValidationError */
export function toTableUpdate(body: UpdateTableRequest): TableUpdate {
  // Nothing in the place of all rows is said by an empty list.
  if (body.replace_rows && body.rows === undefined) throw new ValidationError({ rows: ['This field is required.'] });
  return {
    name: body.table_name,
    columns: body.columns?.map(toTableColumn),
    metadata: body.metadata,
    rows: body.replace_rows ? body.rows : undefined,
  };
}

export class UpdatedTableResponse {
  @UuidField()
  table_id: string;

  @IntegerField({ description: 'Rows that the table has now.' })
  existing_rows: number;

  @ListField(kinds.string())
  columns_added: string[];

  @ListField(kinds.string())
  columns_removed: string[];

  @StringField({ nullable: true, description: 'What was lost by it; null: nothing.' })
  warning: string | null;
}

export function toUpdatedTableResponse(updated: UpdatedTable): UpdatedTableResponse {
  return {
    table_id: updated.tableId,
    existing_rows: updated.existingRows,
    columns_added: updated.columnsAdded,
    columns_removed: updated.columnsRemoved,
    warning: updated.warning,
  };
}

class DeletedOfTable {
  @IntegerField()
  rows: number;

  @IntegerField()
  highlights: number;
}

export class DeletedTableResponse {
  @StringField()
  message: string;

  @UuidField()
  table_id: string;

  @NestedField(() => DeletedOfTable)
  deleted: DeletedOfTable;
}
