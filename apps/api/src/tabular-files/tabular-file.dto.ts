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
  kinds,
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

  @StringField({ optional: true, description: 'What its numbers count, as the file writes it; 10 stands for `10%`.' })
  unit?: string;

  @ListField(kinds.string(), {
    optional: true,
    description: 'Where the file has several header rows: the names above this column from the top down.',
  })
  header_path?: string[];

  @IntegerField({
    optional: true,
    description: 'Cells with a formula whose value is neither in the file nor could be computed: empty here.',
  })
  missing_formulas?: number;
}

export class TotalRowResponse {
  @IntegerField({ description: 'Row of the sheet, counted from 1.' })
  row: number;

  @StringField()
  label: string;
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

  @ListField(() => TotalRowResponse, {
    optional: true,
    description: 'Rows of sums in the file, which are not rows of this table.',
  })
  total_rows?: TotalRowResponse[];
}

/** docs/contract/tables.md#files: File. */
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

  @ListField(kinds.string(), { description: 'What should be known of how the file was read.' })
  warnings: string[];

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

/** docs/contract/tables.md#files: File of the spreadsheet store. */
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
    warnings: file.warnings,
    created_at: file.createdAt,
    updated_at: file.updatedAt,
  };
}

export function toSpreadsheetFileResponse(file: TabularFileRecord): SpreadsheetFileResponse {
  return { ...toTabularFileResponse(file), sheets: file.sheets.map(toSheetResponse) };
}

function toTableResponse({ name, sheet, rowCount, columns, totalRows }: TabularTable): TabularTableResponse {
  const sums = totalRows === undefined ? {} : { total_rows: totalRows };
  return { name, sheet, row_count: rowCount, columns: columns.map(toColumnResponse), ...sums };
}

function toColumnResponse(column: TabularColumn): TabularColumnResponse {
  const { name, originalName, type, nullable, unit, headerPath, missingFormulas } = column;
  return {
    name,
    original_name: originalName,
    type,
    nullable,
    ...(unit === undefined ? {} : { unit }),
    ...(headerPath === undefined ? {} : { header_path: headerPath }),
    ...(missingFormulas === undefined ? {} : { missing_formulas: missingFormulas }),
  };
}

function toSheetResponse({ name, rows, columns, usedRange }: TabularSheet): SheetResponse {
  return { name, rows, columns, used_range: usedRange };
}
