/**
 * What a column of an imported table can hold (docs/contract/tables.md#files). In DuckDB: VARCHAR, BIGINT, DOUBLE,
 * BOOLEAN, DATE, TIMESTAMP.
 */
export const TABULAR_TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'datetime'] as const;
export type TabularType = (typeof TABULAR_TYPES)[number];

export interface TabularColumn {
  /** As in the database: lower snake case, unique within its table. */
  name: string;
  /** As in the file; '' where the header had no name. */
  originalName: string;
  type: TabularType;
  /** Whether any row has nothing here. */
  nullable: boolean;
  /** What its numbers count, as the file writes it: `$`, `EUR`, `%` (10 stands for 10 %). Absent for bare numbers. */
  unit?: string;
  /** Where the file has several header rows: the headers above this column from the top down, its own one last. */
  headerPath?: string[];
  /** Cells with a formula whose value is neither in the file nor could be computed: empty here, so that sums over the column are too low. Absent when there are none. */
  missingFormulas?: number;
}

/** One table of a built database. Its rows stand there in the order of the file. */
export interface TabularTable {
  name: string;
  /** Name of the sheet; null for CSV. */
  sheet: string | null;
  rowCount: number;
  columns: TabularColumn[];
  /** The cells that became this table, header included, such as `A1:F200`; for CSV counted as a spreadsheet would. */
  range: string;
  /**
   * Row of the sheet, counted from 1, of the table's first row (`rowid` 0).
   * The rows that follow stand below it one by one only when `contiguous`: rows without any value are left out.
   */
  firstRow: number;
  contiguous: boolean;
  /** Rows of sums among the data: not rows of this table. `row` is counted as in the sheet, from 1. Absent when there are none. */
  totalRows?: { row: number; label: string }[];
}

/** One sheet of a workbook, whether it became a table or not. */
export interface TabularSheet {
  name: string;
  /** Rows and columns of the used range. */
  rows: number;
  columns: number;
  /** `A1:F200`; '' for an empty sheet. */
  usedRange: string;
}

/** How a file is to be read. `auto` decides by its content. */
export interface TabularOptions {
  /** `auto`, or the 1-based row of the header as digits; `0` when there is none. */
  headerRow: string;
  /** `auto`, or one character. */
  delimiter: string;
  /** `auto`, or a label that `TextDecoder` knows. */
  encoding: string;
}

/** What a finished import knows about its file. */
export interface TabularContents {
  tables: TabularTable[];
  /** Empty for CSV. */
  sheets: TabularSheet[];
  /** What the file's owner should know of how it was read, in sentences. Absent when there is nothing. */
  warnings?: string[];
}

/** The limits of docs/contract/tables.md#files. */
export const TABULAR_LIMITS = { bytes: 200 * 1024 * 1024, columns: 500, rows: 5_000_000, sheets: 20 } as const;
