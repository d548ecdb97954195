import { TABULAR_STATES } from '@app/entities';
import {
  TABULAR_TYPES,
  type TabularColumn,
  type TabularFileRecord,
  type TabularSheet,
  type TabularTable,
} from '@app/tabular';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  StringField,
  UuidField,
} from '../http/fields.js';

export class TabularColumnResponse {
  @StringField({ description: 'As SQL knows it.' })
  name: string;

  @StringField({ description: 'As the file has it; empty where it has none.' })
  original_name: string;

  @ChoiceField(TABULAR_TYPES)
  type: string;

  @BooleanField({ description: 'Whether some row has no value here.' })
  nullable: boolean;
}

export class TabularTableResponse {
  @StringField()
  name: string;

  @StringField({ nullable: true, description: 'Name of the sheet; null for CSV.' })
  sheet: string | null;

  @IntegerField()
  row_count: number;

  @ListField(() => TabularColumnResponse)
  columns: TabularColumnResponse[];
}

/** Document 3, B6: File. */
export class TabularFileResponse {
  @UuidField()
  uid: string;

  @StringField()
  filename: string;

  @StringField({ description: 'Virtual folder; the root when empty.' })
  folder: string;

  @StringField({ description: 'Media path; sign it to download the file.' })
  path: string;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  size_bytes: number;

  @ChoiceField(TABULAR_STATES)
  processing_state: string;

  @StringField({ description: 'For people.' })
  status: string;

  @StringField()
  last_error: string;

  @ListField(() => TabularTableResponse, { description: 'Empty until the file is imported.' })
  tables: TabularTableResponse[];

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export class TabularUploadResponse extends TabularFileResponse {
  @StringField({ description: 'Follows the upload through the logs of all processes.' })
  upload_id: string;

  @BooleanField({ optional: true, description: 'The queue was unavailable; the file is imported later by itself.' })
  queue_pending?: boolean;

  @StringField({ optional: true })
  queue_error?: string;
}

export class SheetResponse {
  @StringField()
  name: string;

  @IntegerField({ description: 'Of the used range.' })
  rows: number;

  @IntegerField({ description: 'Of the used range.' })
  columns: number;

  @StringField({ description: 'Such as `A1:F200`; empty for an empty sheet.' })
  used_range: string;
}

/** Document 3, B6: File of the spreadsheet store. */
export class SpreadsheetFileResponse extends TabularFileResponse {
  @ListField(() => SheetResponse, { description: 'Empty for CSV.' })
  sheets: SheetResponse[];
}

export class SpreadsheetUploadResponse extends TabularUploadResponse {
  @ListField(() => SheetResponse)
  sheets: SheetResponse[];
}

export function toTabularFileResponse(file: TabularFileRecord): TabularFileResponse {
  return {
    uid: file.uid,
    filename: file.filename,
    folder: file.folder,
    path: file.path,
    size_bytes: Number(file.sizeBytes),
    processing_state: file.processingState,
    status: file.status,
    last_error: file.lastError,
    tables: file.tables.map(toTableResponse),
    created_at: file.createdAt,
    updated_at: file.updatedAt,
  };
}

export function toSpreadsheetFileResponse(file: TabularFileRecord): SpreadsheetFileResponse {
  return { ...toTabularFileResponse(file), sheets: file.sheets.map(toSheetResponse) };
}

function toTableResponse({ name, sheet, rowCount, columns }: TabularTable): TabularTableResponse {
  return { name, sheet, row_count: rowCount, columns: columns.map(toColumnResponse) };
}

function toColumnResponse({ name, originalName, type, nullable }: TabularColumn): TabularColumnResponse {
  return { name, original_name: originalName, type, nullable };
}

function toSheetResponse({ name, rows, columns, usedRange }: TabularSheet): SheetResponse {
  return { name, rows, columns, used_range: usedRange };
}
