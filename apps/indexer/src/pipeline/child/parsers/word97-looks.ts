import WordOleExtractor from 'word-extractor/lib/word-ole-extractor.js';
import type OleCompoundDoc from 'word-extractor/lib/ole-compound-doc.js';

/** Places in the header of a Word file ([MS-DOC] 2.5), and sizes of what they lead to. */
const FLAGS_AT = 0x0a;
const SECOND_TABLE = 0x0200;
const CHARACTERS_AT = 0x00fa;
const PAGE = 512;
const PAGE_NUMBER = 0x3f_ffff;

const DELETED = 0x0800;
const HIDDEN = 0x083c;
/** Of a modifier, what word-extractor takes for all of its number: with none of these bits set, for a deletion. */
const LOW_BITS = 0x1f;
/** Bytes of the operand by the highest three bits; the sixth kind says it itself. */
const SIZES = [1, 1, 2, 4, 2, 2, 0, 3];

/** Hyphens that are seen where a line ends only, and those that no line ends at ([MS-DOC] 2.4.1). */
const OPTIONAL_HYPHEN = '\u001f';
const FIRM_HYPHEN = '\u001e';
const WINDOWS = new TextDecoder('windows-1252');

/**
 * Word-extractor leaves out what a change has deleted, and takes for that a few other ways to format letters, such as the
 * space between them: words would be lost. What its author has hidden is to be left out like what is deleted.
 */
export class Word97Extractor extends WordOleExtractor {
  override async extractWordDocument(document: OleCompoundDoc, file: Buffer) {
    const hasSecond = (file.readUInt16LE(FLAGS_AT) & SECOND_TABLE) !== 0;
    const stream = await this.documentStream(document, hasSecond ? '1Table' : '0Table');
    markUnseen(file, await this.streamBuffer(stream));
    return super.extractWordDocument(document, file);
  }

  /** Word-extractor writes "undefined" for optional hyphens and for the bytes that it has no letter for, the euro sign among them. */
  override writePieces(file: Buffer, table: Buffer): void {
    super.writePieces(file, table);
    let startCp = 0;
    for (const piece of this._pieces) {
      const { unicode, startFilePos, size } = piece;
      const text = unicode ? piece.text : WINDOWS.decode(file.subarray(startFilePos, startFilePos + size));
      piece.text = text.replaceAll(OPTIONAL_HYPHEN, '\u00ad').replaceAll(FIRM_HYPHEN, '-');
      piece.length = piece.text.length;
      piece.startCp = startCp;
      startCp += piece.length;
      piece.endCp = startCp;
    }
  }
}

/** Changes the formatting of runs where word-extractor would misunderstand it. Runs lie in pages of 512 bytes. */
function markUnseen(file: Buffer, table: Buffer): void {
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
      if (place > 0) markRun(page.subarray(place + 1, place + 1 + (page[place] ?? 0)));
    }
  }
}

function markRun(modifiers: Buffer): void {
  let hidden = -1;
  for (let at = 0; at + 2 < modifiers.length;) {
    const modifier = modifiers.readUInt16LE(at);
    const operand = modifiers[at + 2] ?? 0;
    if (modifier === HIDDEN) hidden = (operand & 1) === 1 ? at : -1;
    // As large, and nothing to word-extractor.
    else if (modifier !== DELETED && (modifier & LOW_BITS) === 0) modifiers.writeUInt16LE(modifier | 1, at);
    at += 2 + (modifier >> 13 === 6 ? operand + 1 : (SIZES[modifier >> 13] ?? 1));
  }
  if (hidden >= 0) modifiers.writeUInt16LE(DELETED, hidden);
}
