import type { TabularContents, TabularOptions } from '@app/tabular';
import type { ExtractionErrorCode } from '../pipeline/extraction-error.js';

/** What is to be imported. The importing process opens `path` itself. */
export interface ImportRequest {
  path: string;
  filename: string;
  sizeBytes: number;
  kind: string;
  options: TabularOptions;
  /** A folder of this import's own, for what it writes. */
  workFolder: string;
  /** Within `workFolder`; it must not exist yet. */
  databasePath: string;
  /** What a file may have at most (docs/contract/tables.md#files). */
  maximum: { columns: number; rows: number; sheets: number };
  /** The compiled program that computes formulas; without it, those that have no value in the file stay empty. */
  formulaProgram?: string;
  /** Bytes that DuckDB may hold. */
  duckdbBytes: number;
}

export type ImportAnswer =
  | { type: 'progress'; status: string }
  | { type: 'done'; contents: TabularContents }
  | { type: 'failed'; code: ExtractionErrorCode; message: string; detail: string };
