import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { TextDecoderStream } from 'node:stream/web';
import { CsvError, parse } from 'csv-parse';
import { detectFileEncoding } from '../encodings/file-encoding.js';
import type { Parser } from '../parser.js';
import { RowPages } from '../row-pages.js';

const SAMPLE_BYTES = 64 * 1024;
const MAX_RECORD_BYTES = 1024 * 1024;
/** A first line for Excel, which is shown by no program. */
const NAMED_DELIMITER = /^\ufeff?sep=([,;\t|])\r?\n/i;
const DELIMITERS = [',', ';', '\t', '|'];

/**
 * CSV with any of the usual delimiters and encodings, streamed: a large file takes no more memory than a small one. Rows
 * that do not fit the header are marked. Where a quotation mark is never closed, the lines from there on are read as they
 * stand, and the text says so.
 */
export const parseCsv: Parser = async (request, sink) => {
  const encoding = await detectFileEncoding(request.path);
  const sample = new TextDecoder(encoding).decode(await readSample(request.path));
  const named = NAMED_DELIMITER.exec(sample)?.[1];
  const delimiter = named ?? detectDelimiter(sample);
  const records = decoded(request.path, encoding).pipe(
    parse({
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: MAX_RECORD_BYTES,
    }),
  );
  const pages = new RowPages(sink, '', { marksRagged: true });
  let row = 0;
  let bytes = 0;
  try {
    for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { bytes: number } }>) {
      row += 1;
      bytes = info.bytes;
      if (row === 1 && named !== undefined) continue;
      await pages.add(row, record);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    await pages.note(`(Row ${row + 1}: a quotation mark is not closed. From here on each line is shown as it stands.)`);
    for await (const line of linesFrom(request.path, encoding, bytes)) {
      row += 1;
      await pages.add(row, line.split(delimiter));
    }
  }
  await pages.end();
};

function decoded(path: string, encoding: string): Readable {
  return Readable.fromWeb(Readable.toWeb(createReadStream(path)).pipeThrough(new TextDecoderStream(encoding)));
}

/** @param from offset in the file's text as UTF-8 */
async function* linesFrom(path: string, encoding: string, from: number): AsyncGenerator<string> {
  let skip = from;
  let rest = '';
  for await (const chunk of decoded(path, encoding) as AsyncIterable<string>) {
    const bytes = Buffer.from(chunk);
    const kept = bytes.subarray(Math.min(skip, bytes.length)).toString();
    skip = Math.max(0, skip - bytes.length);
    const lines = (rest + kept).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > MAX_RECORD_BYTES) {
      yield rest;
      rest = '';
    }
  }
  if (rest !== '') yield rest;
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
