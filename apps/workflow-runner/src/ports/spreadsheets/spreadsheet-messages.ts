import type { SpreadsheetFormat } from '@app/workflow-definition';

/** What the reading process is told, once. */
export type SpreadsheetRequest = { path: string; sheet: string; maxCells: number; maxCharacters: number } & (
  | { type: 'read'; hasHeader: boolean; limit: number }
  | { type: 'convert'; to: SpreadsheetFormat }
);

/** Rows as JSON text: as objects they may be millions. */
export type RowsText = Omit<ReadRows, 'rows'> & { text: string; count: number };

export interface ReadRows {
  sheet: string;
  sheets: string[];
  columns: string[];
  rows: Record<string, unknown>[];
  truncated: boolean;
}

export type SpreadsheetReply =
  | { type: 'rows'; result: RowsText }
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'failed'; code: 'sheet_not_found' | 'invalid_spreadsheet' | 'spreadsheet_too_large'; message: string };
