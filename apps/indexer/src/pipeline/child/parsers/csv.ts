import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { TextDecoderStream } from 'node:stream/web';
import { CsvError, parse } from 'csv-parse';
import { ExtractionError } from '../../extraction-error.js';
import { detectEncoding } from '../decode-text.js';
import type { Parser } from '../parser.js';
import { RowPages } from '../row-pages.js';

const SAMPLE_BYTES = 64 * 1024;
const MAX_RECORD_BYTES = 1024 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];

/** CSV with any of the usual delimiters and encodings, streamed: a large file takes no more memory than a small one. */
export const parseCsv: Parser = async (request, sink) => {
  const sample = await readSample(request.path);
  const encoding = detectEncoding(sample, sample.length === SAMPLE_BYTES);
  const decoded = Readable.toWeb(createReadStream(request.path)).pipeThrough(new TextDecoderStream(encoding));
  const records = Readable.fromWeb(decoded).pipe(
    parse({
      bom: true,
      delimiter: detectDelimiter(new TextDecoder(encoding).decode(sample)),
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: MAX_RECORD_BYTES,
    }),
  );
  const pages = new RowPages(sink, '');
  let row = 0;
  try {
    for await (const record of records as AsyncIterable<string[]>) {
      row += 1;
      await pages.add(row, record);
    }
  } catch (error) {
    throw error instanceof CsvError ? notReadable(error, row) : error;
  }
  await pages.end();
};

function notReadable(error: CsvError, row: number): ExtractionError {
  const unclosed = error.code === 'CSV_MAX_RECORD_SIZE' || error.code === 'CSV_QUOTE_NOT_CLOSED';
  const why = unclosed ? 'a quotation mark is not closed, or the row is longer than 1 MB' : 'it is not valid CSV';
  return new ExtractionError('damaged', `The table cannot be read after row ${row}: ${why}.`, { cause: error });
}

/** The delimiter that parts the first lines into the same number of cells, and into the most. */
export function detectDelimiter(sample: string): string {
  const lines = sample
    .split(/\r\n|\n|\r/)
    .slice(0, 20)
    .filter((line) => line !== '');
  const score = (delimiter: string): number => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(delimiter).length - 1);
    const first = counts[0] ?? 0;
    return first * counts.filter((count) => count === first).length;
  };
  return DELIMITERS.reduce((best, delimiter) => (score(delimiter) > score(best) ? delimiter : best));
}

async function readSample(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
