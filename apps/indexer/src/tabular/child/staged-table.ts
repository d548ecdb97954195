/** Texts that were loaded and wait to become a table: columns `c0`, `c1` and so on, rows in order. */
export interface StagedTable {
  columns: number;
  delimiter: string;
  /** Whether cells may have blanks around what they say. */
  padded: boolean;
  /** Whether numbers of the file are written with sure points (`number-text.ts`). */
  marked: boolean;
}

export interface PlannedColumn {
  /** Index in the staged table. */
  index: number;
  name: string;
  originalName: string;
  headerPath?: string[];
}
