export const OUTPUT_TYPES = ['string', 'number', 'list', 'boolean', 'object', 'reference'] as const;
export type OutputType = (typeof OUTPUT_TYPES)[number];

export const COLUMN_FORMATS = ['date', 'datetime', 'currency', 'percent', 'email', 'iban'] as const;
export type ColumnFormat = (typeof COLUMN_FORMATS)[number];

/** What is asked of each document (docs/contract/extracted-tables.md#columns). */
export interface TableColumn {
  /** Unique in its table without regard to case. */
  name: string;
  /** What to look for, in the words of whoever made the table; '' when the name says it. */
  instruction: string;
  outputType: OutputType;
  format: ColumnFormat | null;
  required: boolean;
  /** The only values that may be; null: any. */
  enum: string[] | null;
  /** Of `reference`: the column of another table whose values are its keys. */
  reference: { tableId: string; column: string } | null;
}

/** What a cell holds: JSON. Dates are `YYYY-MM-DD`, moments ISO 8601 with a zone, percentages numbers (`12.5` for 12.5 %). */
export type CellValue = string | number | boolean | null | CellValue[] | { [key: string]: CellValue };

/** `document`: one row for each document; `items`: a row for each line item. */
export const ROW_MODES = ['document', 'items'] as const;
export type RowMode = (typeof ROW_MODES)[number];
