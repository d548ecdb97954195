import { inspectArchive, UploadRejectedError } from '@app/documents';
import type { FileStorage } from '@app/integrations';
import { FairSlots } from '@app/isolation';
import {
  JsonText,
  type SheetRows,
  type SpreadsheetFormat,
  type SpreadsheetsPort,
  ToolError,
  type Viewer,
} from '@app/workflow-definition';
import type { ReadableFiles } from '../readable-files.js';
import type { SpreadsheetRequest } from './spreadsheet-messages.js';
import { readInProcess } from './spreadsheet-process.js';

const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_CELLS = 2_000_000;
const MAX_CHARACTERS = 20_000_000;
const LIMIT_MS = 60_000;
/** Longer rows stay text. */
const MAX_ROWS_TEXT = 64 * 1024;
/** Processes at a time: one person's files never take both. */
const AT_ONCE = 2;

const ZIPPED = /\.(xlsx|xlsm|ods)$/i;
const READABLE = /\.(xlsx|xlsm|xls|ods|csv|tsv|txt)$/i;

const MIME_TYPES: Record<SpreadsheetFormat, string> = {
  csv: 'text/csv',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  html: 'text/html',
  txt: 'text/plain',
};

type What =
  | Omit<Extract<SpreadsheetRequest, { type: 'read' }>, 'path' | 'maxCells' | 'maxCharacters'>
  | Omit<Extract<SpreadsheetRequest, { type: 'convert' }>, 'path' | 'maxCells' | 'maxCharacters'>;

export class SpreadsheetFiles implements SpreadsheetsPort {
  private readonly slots = new FairSlots(AT_ONCE);

  /** @param entry the compiled program of the reading process */
  constructor(
    private readonly files: ReadableFiles,
    private readonly storage: FileStorage,
    private readonly entry: string,
  ) {}

  async read(
    viewer: Viewer,
    file: string,
    options: { sheet: string; hasHeader: boolean; limit: number },
    signal: AbortSignal,
  ): Promise<SheetRows> {
    const { reply } = await this.run(viewer, file, { type: 'read', ...options }, signal);
    if (reply.type !== 'rows') throw new Error('The process answered something else.');
    const { text, ...result } = reply.result;
    const rows = text.length > MAX_ROWS_TEXT ? new JsonText(text) : (JSON.parse(text) as Record<string, unknown>[]);
    return { ...result, rows };
  }

  async convert(
    viewer: Viewer,
    file: string,
    { to, sheet }: { to: SpreadsheetFormat; sheet: string },
    signal: AbortSignal,
  ): Promise<{ name: string; mimeType: string; bytes: Uint8Array }> {
    const { name, reply } = await this.run(viewer, file, { type: 'convert', to, sheet }, signal);
    if (reply.type !== 'bytes') throw new Error('The process answered something else.');
    return { name: `${name.replace(/\.[^.]*$/, '')}.${to}`, mimeType: MIME_TYPES[to], bytes: reply.bytes };
  }

  private async run(viewer: Viewer, file: string, what: What, signal: AbortSignal) {
    const { name, sizeBytes, storageKey } = await this.files.find(viewer, file);
    if (!READABLE.test(name))
      throw new ToolError('invalid_spreadsheet', 'Only XLSX, XLS, ODS, CSV and TSV files can be read.', false);
    if (sizeBytes > MAX_FILE_BYTES)
      throw new ToolError('spreadsheet_too_large', 'The file is larger than 50 MB.', false);
    const owner = String(viewer.userId);
    await this.slots.enter(owner, signal);
    try {
      return { name, reply: await this.answer(name, storageKey, what, signal) };
    } finally {
      this.slots.leave(owner);
    }
  }

  private async answer(name: string, storageKey: string, what: What, signal: AbortSignal) {
    const local = await this.storage.localPath(storageKey);
    try {
      if (ZIPPED.test(name)) await checkArchive(local.path);
      const request = { ...what, path: local.path, maxCells: MAX_CELLS, maxCharacters: MAX_CHARACTERS };
      return await readInProcess(this.entry, request, { signal, limitMs: LIMIT_MS });
    } finally {
      await local.release();
    }
  }
}

/** Unpacked once to nowhere: sizes in a zip can lie, and the parser believes them. */
async function checkArchive(path: string): Promise<void> {
  try {
    await inspectArchive(path, { inflate: true });
  } catch (error) {
    if (!(error instanceof UploadRejectedError)) throw error;
    throw new ToolError('invalid_spreadsheet', error.message, false, { cause: error });
  }
}
