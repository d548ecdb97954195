import { utils, write, type WorkBook } from '@e965/xlsx';
import type { SpreadsheetRequest } from '../spreadsheet-messages.js';
import { checkCells, readRows, sheetOf } from './read-workbook.js';

/** The workbook in another format; of formats without sheets, one sheet. */
export function convertWorkbook(workbook: WorkBook, request: Extract<SpreadsheetRequest, { type: 'convert' }>): Buffer {
  const { to, sheet: wanted, maxCells } = request;
  for (const sheet of Object.values(workbook.Sheets)) checkCells(sheet, maxCells);
  if (to === 'xlsx' || to === 'ods') {
    if (wanted !== '') {
      const { name, sheet } = sheetOf(workbook, wanted);
      return toBuffer(write({ SheetNames: [name], Sheets: { [name]: sheet } }, { type: 'buffer', bookType: to }));
    }
    return toBuffer(write(workbook, { type: 'buffer', bookType: to }));
  }
  const { sheet } = sheetOf(workbook, wanted);
  switch (to) {
    case 'csv':
      return Buffer.from(utils.sheet_to_csv(sheet));
    case 'txt':
      return Buffer.from(utils.sheet_to_csv(sheet, { FS: '\t' }));
    case 'html':
      return Buffer.from(utils.sheet_to_html(sheet));
    case 'json': {
      const all = { ...request, type: 'read' as const, hasHeader: true, limit: Number.MAX_SAFE_INTEGER };
      return Buffer.from(JSON.stringify(readRows(workbook, all).rows));
    }
  }
}

function toBuffer(written: unknown): Buffer {
  return Buffer.from(written as Uint8Array);
}
