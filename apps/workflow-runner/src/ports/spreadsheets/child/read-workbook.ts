import { readFile } from 'node:fs/promises';
import { cutText, type TimeFormat, timeFormatOf } from '@app/common';
import { type CellObject, read, SSF, utils, type WorkBook, type WorkSheet } from '@e965/xlsx';
import type { ReadRows, SpreadsheetReply, SpreadsheetRequest } from '../spreadsheet-messages.js';

/** What its owner can understand of why a file is not read. */
export class SpreadsheetError extends Error {
  constructor(
    readonly code: Extract<SpreadsheetReply, { type: 'failed' }>['code'],
    message: string,
  ) {
    super(message);
  }
}

const ZIP = 0x504b;
const OLE = 0xd0cf;

/**
 * @param rows stops after so many rows of each sheet; 0 for all
 * @param findsMoments whether the reader finds moments in numbers itself (`readRows`), as the library cuts them off
 */
export async function openWorkbook(path: string, rows: number, findsMoments: boolean): Promise<WorkBook> {
  const bytes = await readFile(path);
  const magic = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  const dates = findsMoments ? { cellNF: true } : { cellDates: true, UTC: true };
  const options = { dense: true, cellHTML: false, cellFormula: false, sheetStubs: false, ...dates };
  const limit = rows > 0 ? { sheetRows: rows } : {};
  try {
    return magic === ZIP || magic === OLE
      ? read(bytes, { ...options, ...limit, type: 'buffer' })
      : // What looks like a date or a number in text is somebody's spelling.
        read(decode(bytes), { ...options, ...limit, type: 'string', raw: true });
  } catch (error) {
    const isLocked = error instanceof Error && /password|encrypt/i.test(error.message);
    const message = isLocked
      ? 'The workbook is protected by a password.'
      : 'The file is damaged, or no spreadsheet that can be read.';
    throw new SpreadsheetError('invalid_spreadsheet', message);
  }
}

export function sheetOf(workbook: WorkBook, wanted: string): { name: string; sheet: WorkSheet } {
  const byNumber = /^\d{1,4}$/.test(wanted) ? workbook.SheetNames[Number(wanted) - 1] : undefined;
  const name = wanted === '' ? workbook.SheetNames[0] : workbook.SheetNames.includes(wanted) ? wanted : byNumber;
  const sheet = name === undefined ? undefined : workbook.Sheets[name];
  if (name === undefined || !sheet)
    throw new SpreadsheetError('sheet_not_found', `There is no sheet ${JSON.stringify(cutText(wanted, 100))}.`);
  return { name, sheet };
}

export function readRows(workbook: WorkBook, request: Extract<SpreadsheetRequest, { type: 'read' }>): ReadRows {
  const { name, sheet } = sheetOf(workbook, request.sheet);
  checkCells(sheet, request.maxCells);
  writeMoments(sheet, workbook.Workbook?.WBProps?.date1904 === true);
  const lines = utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: true, defval: null, blankrows: false });
  const header = request.hasHeader ? (lines.shift() ?? []) : [];
  const width = Math.max(header.length, ...lines.slice(0, request.limit).map((line) => line.length), 0);
  const columns = uniqueNames(Array.from({ length: width }, (_, index) => header[index]));
  const rows: Record<string, unknown>[] = [];
  let characters = 0;
  let isCut = false;
  for (const line of lines.slice(0, request.limit)) {
    const row = Object.fromEntries(columns.map((column, index) => [column, toJson(line[index])]));
    characters += JSON.stringify(row).length;
    if (characters > request.maxCharacters) {
      isCut = true;
      break;
    }
    rows.push(row);
  }
  const isClipped = sheet['!fullref'] !== undefined && sheet['!fullref'] !== sheet['!ref'];
  const truncated = isCut || isClipped || lines.length > request.limit;
  return { sheet: name, sheets: workbook.SheetNames, columns, rows, truncated };
}

export function checkCells(sheet: WorkSheet, maxCells: number): void {
  const range = sheet['!ref'] === undefined ? null : utils.decode_range(sheet['!ref']);
  const cells = range === null ? 0 : (range.e.r - range.s.r + 1) * (range.e.c - range.s.c + 1);
  if (cells > maxCells)
    throw new SpreadsheetError('spreadsheet_too_large', `The sheet has more than ${maxCells} cells.`);
}

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(1899, 11, 30);
/** How much later the calendar of old Macintoshes begins. */
const DAYS_OF_1904 = 1_462;
/** What a format of hours can show at most, as in Excel: the end of 9999. */
const MAX_ELAPSED_DAYS = 2_958_466;

/**
 * Numbers that show a moment, as ISO 8601; those that show a time without a day as `08:30:00`, which is how long
 * something takes in formats such as `[h]:mm`.
 */
function writeMoments(sheet: WorkSheet, date1904: boolean): void {
  for (const row of (sheet['!data'] as (CellObject | undefined)[][] | undefined) ?? [])
    for (const cell of row ?? []) {
      if (cell?.t !== 'n' || typeof cell.v !== 'number' || typeof cell.z !== 'string' || !SSF.is_date(cell.z)) continue;
      const text = timeText(cell.v, timeFormatOf(cell.z)) ?? momentText(cell.v, date1904);
      // Or the library would read it as a moment again.
      delete cell.z;
      if (text === null) continue;
      cell.t = 's';
      cell.v = text;
    }
}

const two = (part: number) => String(Math.floor(part)).padStart(2, '0');

function timeText(days: number, format: TimeFormat | null): string | null {
  const isTime = format === 'elapsed' || (format === 'clock' && days >= 0 && days < 1);
  if (!isTime || Math.abs(days) > MAX_ELAPSED_DAYS) return null;
  const milliseconds = Math.round(Math.abs(days) * DAY_MS);
  const clock = `${two(milliseconds / 3_600_000)}:${two((milliseconds / 60_000) % 60)}:${two((milliseconds / 1000) % 60)}`;
  const rest = milliseconds % 1000;
  return `${days < 0 ? '-' : ''}${clock}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`;
}

/** 02:30 is a fraction of a day that ends nowhere: cut off to milliseconds, as the library does, it is 02:29:59.999. */
function momentText(days: number, date1904: boolean): string | null {
  // Less than a day is no moment.
  if (!date1904 && days < 1) return null;
  const since1900 = days + (date1904 ? DAYS_OF_1904 : 0);
  // There was no 29 February 1900, but Excel counts it.
  if (since1900 >= 60 && since1900 < 61) return null;
  const moment = new Date(FIRST_DAY + Math.round((since1900 > 60 ? since1900 : since1900 + 1) * DAY_MS));
  return Number.isNaN(moment.getTime()) ? null : String(toJson(moment));
}

function toJson(value: unknown): unknown {
  if (value instanceof Date) {
    const iso = value.toISOString();
    return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso;
  }
  return value ?? null;
}

/** `column_3` for a column without a name, `name_2` for the second of a name. */
function uniqueNames(header: readonly unknown[]): string[] {
  const taken = new Set<string>();
  return header.map((cell, index) => {
    const base = String(toJson(cell) ?? '').trim() || `column_${index + 1}`;
    let name = base;
    for (let at = 2; taken.has(name); at += 1) name = `${base}_${at}`;
    taken.add(name);
    return name;
  });
}

function decode(bytes: Buffer): string {
  if (bytes.length >= 2 && bytes.readUInt16BE(0) === 0xfffe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes.length >= 2 && bytes.readUInt16BE(0) === 0xfeff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
