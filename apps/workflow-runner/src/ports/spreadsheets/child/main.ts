import type { SpreadsheetReply, SpreadsheetRequest } from '../spreadsheet-messages.js';
import { convertWorkbook } from './convert-workbook.js';
import { openWorkbook, readRows, SpreadsheetError } from './read-workbook.js';

const SPARE_ROWS = 1_000;

// The program of the process that reads spreadsheets: one request, one reply.

process.on('disconnect', () => process.exit(0));
process.once('message', (request: SpreadsheetRequest) => {
  answer(request).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.(toFailure(error)),
  );
});

async function answer(request: SpreadsheetRequest): Promise<SpreadsheetReply> {
  // Empty rows do not count: some more than are wanted.
  const rows = request.type === 'read' ? request.limit + SPARE_ROWS : 0;
  const workbook = await openWorkbook(request.path, rows, request.type === 'read' || request.to === 'json');
  if (request.type === 'convert') return { type: 'bytes', bytes: convertWorkbook(workbook, request) };
  const { rows: read, ...result } = readRows(workbook, request);
  return { type: 'rows', result: { ...result, text: JSON.stringify(read), count: read.length } };
}

function toFailure(error: unknown): SpreadsheetReply {
  if (error instanceof SpreadsheetError) return { type: 'failed', code: error.code, message: error.message };
  return { type: 'failed', code: 'invalid_spreadsheet', message: 'The file cannot be read as a spreadsheet.' };
}
