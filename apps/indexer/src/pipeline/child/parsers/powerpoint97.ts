import { readFile } from 'node:fs/promises';
import { CFB } from '@e965/xlsx';
import { ExtractionError } from '../../extraction-error.js';
import { normaliseText } from '../normalise.js';
import type { Parser } from '../parser.js';

// Record types of [MS-PPT] 2.13.24.
const SLIDE = 0x03ee;
const NOTES = 0x03f0;
const SLIDE_LIST_WITH_TEXT = 0x0ff0;
const SLIDE_PERSIST = 0x03f3;
const TEXT_CHARS = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const CONTAINER_VERSION = 0xf;
const MAX_DEPTH = 32;

interface PptRecord {
  type: number;
  instance: number;
  isContainer: boolean;
  data: Buffer;
}

/**
 * PowerPoint 97-2003, of which no kept package reads the text. Titles and bodies stand in the list of
 * slides (instance 0 of SlideListWithText), text boxes in the drawing of each slide.
 */
export const parsePowerPoint97: Parser = async (request, sink) => {
  const stream = CFB.find(CFB.read(await readFile(request.path), { type: 'buffer' }), 'PowerPoint Document');
  if (!stream) throw new ExtractionError('damaged', 'This presentation is damaged or protected by a password.');
  const slides: string[][] = [];
  const drawings: string[][] = [];
  collect(Buffer.from(stream.content), 0, slides, drawings);
  const count = Math.max(slides.length, drawings.length);
  sink.announce(count);
  for (let n = 0; n < count; n += 1) {
    // A drawing may repeat what the outline says.
    const texts = [...new Set([...(slides[n] ?? []), ...(drawings[n] ?? [])])];
    const label = normaliseText(texts[0] ?? '')
      .split('\n')[0]
      ?.slice(0, 200);
    await sink.emit({ text: normaliseText(texts.join('\n\n')), ocr: false, ...(label ? { label } : {}) });
  }
};

function collect(bytes: Buffer, depth: number, slides: string[][], drawings: string[][]): void {
  for (const record of recordsOf(bytes)) {
    if (record.type === SLIDE_LIST_WITH_TEXT && record.instance === 0) {
      for (const item of recordsOf(record.data)) {
        if (item.type === SLIDE_PERSIST) slides.push([]);
        else appendText(item, slides.at(-1));
      }
    } else if (record.type === SLIDE) {
      const texts: string[] = [];
      collectText(record.data, depth + 1, texts);
      drawings.push(texts);
    } else if (record.isContainer && record.type !== NOTES && depth < MAX_DEPTH) {
      collect(record.data, depth + 1, slides, drawings);
    }
  }
}

function collectText(bytes: Buffer, depth: number, texts: string[]): void {
  for (const record of recordsOf(bytes)) {
    appendText(record, texts);
    if (record.isContainer && depth < MAX_DEPTH) collectText(record.data, depth + 1, texts);
  }
}

function appendText(record: PptRecord, texts: string[] | undefined): void {
  if (record.type === TEXT_CHARS) texts?.push(record.data.toString('utf16le'));
  if (record.type === TEXT_BYTES) texts?.push(record.data.toString('latin1'));
}

function* recordsOf(bytes: Buffer): Generator<PptRecord> {
  let at = 0;
  while (at + 8 <= bytes.length) {
    const head = bytes.readUInt16LE(at);
    const length = bytes.readUInt32LE(at + 4);
    const data = bytes.subarray(at + 8, at + 8 + length);
    yield {
      type: bytes.readUInt16LE(at + 2),
      instance: head >> 4,
      isContainer: (head & 0xf) === CONTAINER_VERSION,
      data,
    };
    at += 8 + length;
  }
}
