import { stringify } from 'csv-stringify/sync';
import { MAX_CELL_LENGTH, sheetText, ToolError, tableOf } from '@app/workflow-definition/kit';
import { SandboxError } from './sandbox-error.js';
import writeXlsxFile from 'write-excel-file/node';
import { withoutFormula } from './formulas.js';

export const FILE_FORMATS = ['text', 'json', 'base64', 'csv', 'xlsx'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** A spreadsheet is made in memory. */
const MAX_XLSX_CELLS = 500_000;

/** What the file name's extension asks for; without a known one, text as text and the rest as JSON. */
export function formatOf(path: string, content: unknown): FileFormat {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (extension === 'csv' || extension === 'xlsx' || extension === 'json') return extension;
  return typeof content === 'string' ? 'text' : 'json';
}

export interface EncodedFile {
  bytes: Uint8Array;
  /** Sentences on what the format could not hold. */
  warnings: string[];
}

/** @throws ToolError `invalid_content` for what the format cannot express. */
export async function encodeContent(content: unknown, format: FileFormat, delimiter: string): Promise<EncodedFile> {
  if (format === 'xlsx') return toXlsx(content);
  return { bytes: toBytes(content, format, delimiter), warnings: [] };
}

function toBytes(content: unknown, format: Exclude<FileFormat, 'xlsx'>, delimiter: string): Uint8Array {
  switch (format) {
    case 'text':
      return Buffer.from(typeof content === 'string' ? content : (JSON.stringify(content, null, 2) ?? ''));
    case 'json':
      return Buffer.from(
        typeof content === 'string' ? jsonText(content) : (JSON.stringify(content, null, 2) ?? 'null'),
      );
    case 'base64':
      return fromBase64(content);
    case 'csv':
      return toCsv(content, delimiter);
  }
}

/** The same as a job of the sandbox. @throws SandboxError `invalid_content` */
export async function encodeFile(given: {
  content: unknown;
  format: FileFormat;
  delimiter: string;
}): Promise<EncodedFile> {
  try {
    return await encodeContent(given.content, given.format, given.delimiter);
  } catch (error) {
    if (error instanceof ToolError) throw new SandboxError(error.code, error.message, { cause: error });
    throw error;
  }
}

/** A text that is JSON already stays as it is; any other becomes a JSON string. */
function jsonText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    if (error instanceof SyntaxError) return JSON.stringify(text);
    throw error;
  }
}

function fromBase64(content: unknown): Uint8Array {
  const text = typeof content === 'string' ? content.replace(/^data:[^,]*;base64,/, '').replaceAll(/\s/g, '') : null;
  if (text === null || text.length % 4 === 1 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text))
    throw new ToolError('invalid_content', 'The content is not Base64.', false);
  return Buffer.from(text.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
}

function toCsv(content: unknown, delimiter: string): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content);
  const { columns, rows } = tableOf(content);
  if (columns.length === 0) return Buffer.from('');
  const lines = [columns, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'string' ? withoutFormula(cell) : cell)),
  );
  // Of a single column an empty cell would be an empty line, which readers skip.
  return Buffer.from(stringify(lines, { delimiter, cast: { boolean: String }, quoted_empty: columns.length === 1 }));
}

async function toXlsx(content: unknown): Promise<EncodedFile> {
  const { columns, rows } = tableOf(content);
  if (columns.length * (rows.length + 1) > MAX_XLSX_CELLS)
    throw new ToolError('invalid_content', `A spreadsheet holds at most ${MAX_XLSX_CELLS} cells. Write CSV.`, false);
  const header = columns.map((name) => ({ value: sheetText(name), fontWeight: 'bold' as const }));
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? sheetText(cell) : cell)));
  const bytes = await writeXlsxFile([header, ...cells], { stickyRowsCount: 1 }).toBuffer();
  const cut = rows.flat().filter((cell) => typeof cell === 'string' && cell.length > MAX_CELL_LENGTH).length;
  const warning = `Texts of ${cut} cells were cut to the ${MAX_CELL_LENGTH} characters that a spreadsheet holds.`;
  return { bytes, warnings: cut > 0 ? [warning] : [] };
}
