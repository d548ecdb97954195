import type { EditedRows, RowRecord } from '@app/extraction';
import { DateTimeField, IntegerField, ObjectField, StringField, UuidField } from '../../http/fields.js';

export class RowResponse {
  @UuidField({ description: 'Of this row alone.' })
  row_id: string;

  @StringField({ description: 'What it was read from; rows of one source share it.' })
  source_uid: string;

  @ObjectField({ description: 'Values by name of column.' })
  data: Record<string, unknown>;

  @StringField()
  filename: string;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;

  @DateTimeField({ nullable: true, description: 'When a document was last extracted into it.' })
  processed_at: Date | null;
}

export function toRowResponse(row: RowRecord): RowResponse {
  return {
    row_id: row.id,
    source_uid: row.sourceUid,
    data: row.data,
    filename: row.filename,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    processed_at: row.processedAt,
  };
}

export class EditRowRequest {
  @ObjectField({ description: 'New values by name of column.' })
  data: Record<string, unknown>;

  @UuidField({ optional: true, description: 'Only this one of the rows of the source.' })
  row_id?: string;
}

export class EditedRowResponse extends RowResponse {
  @IntegerField({ description: 'How many rows of the source were changed.' })
  updated_rows: number;

  @UuidField({ nullable: true, description: 'With which it is undone; null: it was too much at once to be undone.' })
  change_id: string | null;
}

export function toEditedRowResponse({ rows, changeId }: EditedRows): EditedRowResponse {
  return { ...toRowResponse(rows[0]!), updated_rows: rows.length, change_id: changeId };
}

export class DeleteRowQuery {
  @UuidField({ optional: true, description: 'Only this one of the rows of the source.' })
  row_id?: string;
}

export class DeletedRowResponse {
  @StringField()
  message: string;

  @UuidField()
  table_id: string;

  @StringField()
  source_uid: string;

  @IntegerField()
  deleted_rows: number;

  @UuidField({ nullable: true, description: 'With which it is undone; null: it was too much at once to be undone.' })
  change_id: string | null;
}
