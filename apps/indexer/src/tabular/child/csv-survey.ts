import { createReadStream } from 'node:fs';
import { Utf8Check } from '../../pipeline/child/encodings/utf8-check.js';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const WIDEST_COUNTED = 4096;
const CHUNK_BYTES = 1024 * 1024;

/** What one pass over the bytes of a CSV tells before anything is loaded. */
export interface CsvSurvey {
  utf8: boolean;
  /** Records that are not blank lines. */
  records: number;
  /** Cells of the longest record, empty ones at its end included. */
  cells: number;
  /** Whether records have different numbers of cells. */
  ragged: boolean;
  /** Whether any cell has a blank at its beginning or end. */
  padded: boolean;
  /** By the number of cells up to the last that holds something: how many records, and which is the first (from 1). */
  widths: ReadonlyMap<number, { records: number; first: number }>;
  /** The record in which a quotation mark opens that is never closed; null when there is none. */
  unclosedAt: number | null;
  longestRecordBytes: number;
}

/** Reads a CSV in an encoding that agrees with ASCII, in constant memory. */
export async function surveyCsv(path: string, delimiter: string): Promise<CsvSurvey> {
  const scanner = new CsvScanner(delimiter.charCodeAt(0));
  const utf8 = new Utf8Check();
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    if (!utf8.add(chunk)) break;
    scanner.add(chunk);
  }
  return { ...scanner.finish(), utf8: utf8.finish() };
}

// A no-break space is C2 A0 in UTF-8: what only may be one counts as one.
const isBlankBeginning = (byte: number) => byte <= SPACE || byte === 0xc2;
const isBlankEnd = (byte: number) => (byte <= SPACE && byte > 0) || byte === 0xa0;

class CsvScanner {
  private readonly counts = new Uint32Array(WIDEST_COUNTED + 1);
  private readonly firsts = new Uint32Array(WIDEST_COUNTED + 1);
  private records = 0;
  private cells = 0;
  private fewestCells = Infinity;
  private longest = 0;
  private bytes = 0;
  /** Index of the cell at hand, and one more than that of the last with content. */
  private cell = 0;
  private filled = 0;
  private atCellStart = true;
  private padded = false;
  /** The byte before, within the same cell; 0 at its beginning. */
  private before = 0;
  private quoted = false;
  private quoteEnded = false;

  constructor(private readonly delimiter: number) {}

  add(chunk: Buffer): void {
    const { delimiter } = this;
    let { cell, filled, atCellStart, quoted, quoteEnded, bytes, padded, before } = this;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      bytes += 1;
      if (quoted) {
        if (byte === QUOTE) {
          quoted = false;
          quoteEnded = true;
        } else {
          if (byte > SPACE) filled = cell + 1;
          if (before === 0 && isBlankBeginning(byte)) padded = true;
          before = byte;
        }
      } else if (byte === QUOTE && (atCellStart || quoteEnded)) {
        // Doubled within quotation marks it stands for itself.
        if (quoteEnded) filled = cell + 1;
        quoted = true;
        quoteEnded = false;
        atCellStart = false;
      } else if (byte === delimiter || byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        if (isBlankEnd(before)) padded = true;
        before = 0;
        atCellStart = true;
        quoteEnded = false;
        if (byte === delimiter) cell += 1;
        else {
          if (bytes > 1) this.endRecord(cell, filled, bytes);
          cell = 0;
          filled = 0;
          bytes = 0;
        }
      } else {
        if (byte > SPACE) filled = cell + 1;
        if (before === 0 && isBlankBeginning(byte)) padded = true;
        atCellStart = false;
        quoteEnded = false;
        before = byte;
      }
    }
    Object.assign(this, { cell, filled, atCellStart, quoted, quoteEnded, bytes, padded, before });
  }

  finish(): Omit<CsvSurvey, 'utf8'> {
    if (isBlankEnd(this.before)) this.padded = true;
    if (this.bytes > 0) this.endRecord(this.cell, this.filled, this.bytes);
    const widths = new Map<number, { records: number; first: number }>();
    for (const [width, records] of this.counts.entries())
      if (records > 0) widths.set(width, { records, first: this.firsts[width]! });
    const { records, cells, longest, padded } = this;
    const ragged = this.fewestCells < cells;
    return {
      records,
      cells,
      ragged,
      padded,
      widths,
      unclosedAt: this.quoted ? records : null,
      longestRecordBytes: longest,
    };
  }

  private endRecord(cell: number, filled: number, bytes: number): void {
    this.records += 1;
    if (cell + 1 > this.cells) this.cells = cell + 1;
    if (cell + 1 < this.fewestCells) this.fewestCells = cell + 1;
    if (bytes > this.longest) this.longest = bytes;
    const width = Math.min(filled, WIDEST_COUNTED);
    if (this.counts[width] === 0) this.firsts[width] = this.records;
    this.counts[width]! += 1;
  }
}
