import type { WrittenSheet } from './sheet-records.js';

/** A file with sheets. */
export interface Workbook {
  readonly sheetNames: readonly string[];
  /** Writes one sheet as CSV in UTF-8. @returns null when it has no values. @throws ExtractionError */
  writeSheet(index: number, path: string, maxColumns: number): Promise<WrittenSheet | null>;
  close(): void;
}
