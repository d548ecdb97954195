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
const NOTES_ATOM = 0x03f1;
/** How a slide is shown, with a bit for one that is not ([MS-PPT] 2.6.6). */
const SHOW_INFO = 0x03f9;
const HIDDEN = 0x04;
const COMMENT = 0x2ee0;
const STRING = 0x0fba;
const ENCRYPTION = 0x2f14;
const CONTAINER_VERSION = 0xf;
/** In the stream `Current User`, of a file with a password ([MS-PPT] 2.3.2). */
const ENCRYPTED_TOKEN = 0xf3d1c4df;
const PASSWORD = 'The presentation is protected by a password. Remove the protection and upload it again.';
const MAX_DEPTH = 32;

interface PptRecord {
  type: number;
  instance: number;
  isContainer: boolean;
  data: Buffer;
}

/** What the walk through the records finds. */
interface Found {
  /** Texts of the list of slides, and which slide each is. */
  slides: { id: number; texts: string[] }[];
  /** Null for a slide that is hidden. */
  drawings: (string[] | null)[];
  /** What the speaker wrote, by the id of the slide. */
  notes: Map<number, string[]>;
}

/**
 * PowerPoint 97-2003, of which no kept package reads the text. Titles and bodies stand in the list of
 * slides (instance 0 of SlideListWithText), text boxes and comments in the drawing of each slide, notes on pages of
 * their own.
 */
export const parsePowerPoint97: Parser = async (request, sink) => {
  const file = CFB.read(await readFile(request.path), { type: 'buffer' });
  const stream = CFB.find(file, 'PowerPoint Document');
  const user = Buffer.from(CFB.find(file, 'Current User')?.content ?? []);
  if (user.length >= 16 && user.readUInt32LE(12) === ENCRYPTED_TOKEN) throw new ExtractionError('encrypted', PASSWORD);
  if (stream === null) throw new ExtractionError('damaged', 'This presentation is damaged: it holds no slides.');
  const found: Found = { slides: [], drawings: [], notes: new Map() };
  collect(Buffer.from(stream.content), 0, found);
  const count = Math.max(found.slides.length, found.drawings.length);
  sink.announce(count);
  for (let n = 0; n < count; n += 1) {
    const slide = found.slides[n];
    if (found.drawings[n] === null) {
      await sink.emit({ text: '', ocr: false });
      continue;
    }
    // A drawing may repeat what the outline says.
    const texts = [...new Set([...(slide?.texts ?? []), ...(found.drawings[n] ?? [])])];
    const notes = (found.notes.get(slide?.id ?? -1) ?? []).filter((text) => /[^\d\s*]/.test(text));
    const label = normaliseText(texts[0] ?? '')
      .split('\n')[0]
      ?.slice(0, 200);
    if (notes.length > 0) texts.push(`Notes: ${notes.join('\n')}`);
    await sink.emit({ text: normaliseText(texts.join('\n\n')), ocr: false, ...(label ? { label } : {}) });
  }
};

function collect(bytes: Buffer, depth: number, found: Found): void {
  for (const record of recordsOf(bytes)) {
    if (record.type === ENCRYPTION) throw new ExtractionError('encrypted', PASSWORD);
    if (record.type === SLIDE_LIST_WITH_TEXT && record.instance === 0) {
      for (const item of recordsOf(record.data)) {
        if (item.type === SLIDE_PERSIST) found.slides.push({ id: slideId(item.data, 12), texts: [] });
        else appendText(item, found.slides.at(-1)?.texts);
      }
    } else if (record.type === SLIDE || record.type === NOTES) {
      const texts: string[] = [];
      collectText(record.data, depth + 1, texts);
      const parts = [...recordsOf(record.data)];
      const atom = parts.find(({ type }) => type === NOTES_ATOM);
      if (record.type === SLIDE) found.drawings.push(parts.some(isHidden) ? null : texts);
      else if (atom) found.notes.set(slideId(atom.data, 0), texts);
    } else if (record.isContainer && depth < MAX_DEPTH) {
      collect(record.data, depth + 1, found);
    }
  }
}

function isHidden({ type, data }: PptRecord): boolean {
  return type === SHOW_INFO && data.length >= 12 && (data.readUInt16LE(10) & HIDDEN) !== 0;
}

function slideId(data: Buffer, at: number): number {
  return data.length >= at + 4 ? data.readUInt32LE(at) : -1;
}

function collectText(bytes: Buffer, depth: number, texts: string[]): void {
  for (const record of recordsOf(bytes)) {
    if (record.type === COMMENT) {
      const said = [...recordsOf(record.data)]
        .filter(({ type }) => type === STRING)
        .map(({ data }) => data.toString('utf16le'));
      // Author and words; initials come last.
      if (said[1]) texts.push(`Comment: ${said[0]}: ${said[1]}`);
      continue;
    }
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
