import type { WrittenSheet } from './sheet-records.js';

/** A file with sheets. */
export interface Workbook {
  readonly sheetNames: readonly string[];
  /** Writes one sheet as CSV in UTF-8. @returns null when it has no values */
  writeSheet(index: number, path: string): Promise<WrittenSheet | null>;
  close(): void;
}
