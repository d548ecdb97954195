import WordOleExtractor from 'word-extractor/lib/word-ole-extractor.js';
import { isExponent } from '../markup/inline-text.js';
import type OleCompoundDoc from 'word-extractor/lib/ole-compound-doc.js';

/** Places in the header of a Word file ([MS-DOC] 2.5), and sizes of what they lead to. */
const FLAGS_AT = 0x0a;
const SECOND_TABLE = 0x0200;
const CHARACTERS_AT = 0x00fa;
const PAGE = 512;
const PAGE_NUMBER = 0x3f_ffff;

const DELETED = 0x0800;
const HIDDEN = 0x083c;
/** Above the line, by itself and by so many half points. */
const RAISED = 0x2a48;
const RAISED_BY = 0x4845;
/** Of a modifier, what word-extractor takes for all of its number: with none of these bits set, for a deletion. */
const LOW_BITS = 0x1f;
/** Bytes of the operand by the highest three bits; the sixth kind says it itself. */
const SIZES = [1, 1, 2, 4, 2, 2, 0, 3];

/** Hyphens that are seen where a line ends only, and those that no line ends at ([MS-DOC] 2.4.1). */
const OPTIONAL_HYPHEN = '\u001f';
const FIRM_HYPHEN = '\u001e';
/** Raised digits until the text is put together: places in the file are those of letters, one for one. */
const RAISED_SIGNS = '0123456789+-−';
const RAISED_FROM = 0xe9a0;
const RAISED_SIGN = /[\d+−-]/g;
const RAISED_TEXT = /[\ue9a0-\ue9ac]+/g;
const WINDOWS = new TextDecoder('windows-1252');

/**
 * Word-extractor leaves out what a change has deleted, and takes for that a few other ways to format letters, such as the
 * space between them: words would be lost. What its author has hidden is to be left out like what is deleted.
 */
export class Word97Extractor extends WordOleExtractor {
  /** Places in the file, in its order. */
  private raised: Range[] = [];

  override async extractWordDocument(document: OleCompoundDoc, file: Buffer) {
    const hasSecond = (file.readUInt16LE(FLAGS_AT) & SECOND_TABLE) !== 0;
    const stream = await this.documentStream(document, hasSecond ? '1Table' : '0Table');
    this.raised = joined(markUnseen(file, await this.streamBuffer(stream)));
    return super.extractWordDocument(document, file);
  }

  /** Word-extractor writes "undefined" for optional hyphens and for the bytes that it has no letter for, the euro sign among them. */
  override writePieces(file: Buffer, table: Buffer): void {
    super.writePieces(file, table);
    let startCp = 0;
    for (const piece of this._pieces) {
      const { unicode, startFilePos, size } = piece;
      const text = unicode ? piece.text : WINDOWS.decode(file.subarray(startFilePos, startFilePos + size));
      piece.text = this.withRaised(text, piece).replaceAll(OPTIONAL_HYPHEN, '\u00ad').replaceAll(FIRM_HYPHEN, '-');
      piece.length = piece.text.length;
      piece.startCp = startCp;
      startCp += piece.length;
      piece.endCp = startCp;
    }
  }

  private withRaised(
    text: string,
    { unicode, startFilePos, size }: { unicode: boolean; startFilePos: number; size: number },
  ): string {
    const width = unicode ? 2 : 1;
    const parts: string[] = [];
    let done = 0;
    for (let at = this.firstRaised(startFilePos); at < this.raised.length; at += 1) {
      const [from, to] = this.raised[at]!;
      if (from >= startFilePos + size) break;
      const start = Math.floor((from - startFilePos) / width);
      const signs = text.slice(start, Math.floor((to - startFilePos) / width));
      if (!isExponent(text.slice(Math.max(0, start - 2), start), signs)) continue;
      parts.push(text.slice(done, start), signs.replace(RAISED_SIGN, marked));
      done = start + signs.length;
    }
    return [...parts, text.slice(done)].join('');
  }

  /** Pieces are many, and lie in any order. */
  private firstRaised(behind: number): number {
    let [low, high] = [0, this.raised.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.raised[middle]![0] > behind) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const marked = (sign: string) => String.fromCharCode(RAISED_FROM + RAISED_SIGNS.indexOf(sign));

/** Sets behind a number what is raised behind it: 10 to the power of 6 is no 106. */
export function readRaised(text: string): string {
  return text.replace(
    RAISED_TEXT,
    (signs) => `^${[...signs].map((sign) => RAISED_SIGNS[sign.charCodeAt(0) - RAISED_FROM] ?? '').join('')}`,
  );
}

/** The first byte, and the one behind the last. */
type Range = readonly [start: number, end: number];

function joined(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = found.at(-1);
    if (last && last[1] >= start) found[found.length - 1] = [last[0], Math.max(last[1], end)];
    else found.push([start, end]);
  }
  return found;
}

/** Changes the formatting of runs where word-extractor would misunderstand it, and tells which are raised. Runs lie in pages of 512 bytes. */
function markUnseen(file: Buffer, table: Buffer): Range[] {
  const raised: Range[] = [];
  const at = file.readUInt32LE(CHARACTERS_AT);
  const size = file.readUInt32LE(CHARACTERS_AT + 4);
  const count = Math.floor((Math.min(size, table.length - at) - 4) / 8);
  for (let n = 0; n < count; n += 1) {
    const number = table.readUInt32LE(at + (count + 1) * 4 + n * 4) & PAGE_NUMBER;
    const page = file.subarray(number * PAGE, (number + 1) * PAGE);
    if (page.length < PAGE) continue;
    const runs = page.readUInt8(PAGE - 1);
    for (let run = 0; run < runs; run += 1) {
      const place = 2 * (page[(runs + 1) * 4 + run] ?? 0);
      if (place > 0 && markRun(page.subarray(place + 1, place + 1 + (page[place] ?? 0))))
        raised.push([page.readUInt32LE(run * 4), page.readUInt32LE((run + 1) * 4)]);
    }
  }
  return raised;
}

/** @returns whether it is raised */
function markRun(modifiers: Buffer): boolean {
  let hidden = -1;
  let isRaised = false;
  let by = 0;
  for (let at = 0; at + 2 < modifiers.length;) {
    const modifier = modifiers.readUInt16LE(at);
    const operand = modifiers[at + 2] ?? 0;
    if (modifier === RAISED) isRaised = operand === 1;
    else if (modifier === RAISED_BY && at + 3 < modifiers.length) by = modifiers.readInt16LE(at + 2);
    if (modifier === HIDDEN) hidden = (operand & 1) === 1 ? at : -1;
    // As large, and nothing to word-extractor.
    else if (modifier !== DELETED && (modifier & LOW_BITS) === 0) modifiers.writeUInt16LE(modifier | 1, at);
    at += 2 + (modifier >> 13 === 6 ? operand + 1 : (SIZES[modifier >> 13] ?? 1));
  }
  if (hidden >= 0) modifiers.writeUInt16LE(DELETED, hidden);
  return isRaised || by > 0;
}
