import type { SourceField } from '@app/extraction/kit';
import type { GreyPicture } from './ocr/grey-picture.js';
import { PageText } from './page-text.js';
import { findTables } from './page-tables.js';
import type { FoundTable, Segment } from './page-tables.js';
import { readColumns } from './pdf-columns.js';
import { findLines, lineEnd, segmentsOf, textOf } from './pdf-lines.js';
import type { CharacterLine } from './pdf-lines.js';
import { restoreOrder, type Origin } from './pdf-right-to-left.js';
import { loadTextPage } from './pdf-text-page.js';
import { readTypedText } from './pdf-typed-text.js';
import { CONTRAST, isDrawn, TRACE, UnseenWords } from './pdf-unseen.js';
import { placeLike, PdfWords } from './pdf-words.js';
import type { Pdfium } from './pdfium.js';

const FORMAT_GREY = 1;
const FORMAT_BGRX = 3;
const WHITE = 0xffffffff;
const WITH_ANNOTATIONS = 0x01;
const RED_FIRST = 0x10;
const BLANK = 0x20;
const DEVICE_UNITS = 1_000_000;
/** An A3 page at 200 dpi has 8 million; recognition takes ten bytes for each. */
const MAX_RENDERED_PIXELS = 12_000_000;
const POINTS_PER_INCH = 72;
/** In line heights; the space between the lines of a paragraph is 0.2 to 0.6 of them. */
const PARAGRAPH_GAP = 0.9;

type Rect = [number, number, number, number];

interface Painted {
  pixels: Buffer;
  width: number;
  height: number;
}

export class PdfPage {
  private readonly text: number;
  /** Each call into PDFium costs; every character is asked for once. */
  private readonly codes: Uint16Array;
  /** Where PDFium writes the place of a character. */
  private readonly memory: number;
  /** Which of PDFium's characters each of the codes is, where lines run from right to left. */
  private order: Uint32Array | null = null;

  constructor(
    private readonly pdfium: Pdfium,
    private readonly handle: number,
    private readonly form: () => number,
    private readonly hasFormLayers: () => boolean,
  ) {
    this.memory = pdfium.pdfium.wasmExports.malloc(32);
    this.text = loadTextPage(pdfium, handle);
    this.codes = new Uint16Array(this.text === 0 ? 0 : pdfium.FPDFText_CountChars(this.text));
    for (let at = 0; at < this.codes.length; at += 1) this.codes[at] = pdfium.FPDFText_GetUnicode(this.text, at);
  }

  close(): void {
    if (this.text !== 0) this.pdfium.FPDFText_ClosePage(this.text);
    this.pdfium.FPDF_ClosePage(this.handle);
    this.pdfium.pdfium.wasmExports.free(this.memory);
  }

  /**
   * Its text in PDFium's order (right-to-left lines come in reading order), columns one after the other, line by line with
   * rectangles. The rows of tables are lines of their own, their cells parted by bars.
   */
  readText({ withWords = false } = {}): PageText {
    this.leaveOutUnseen();
    this.order = restoreOrder(this.codes, (at) => this.originOf(at));
    const page = new PageText();
    const words = withWords ? this.words() : null;
    const lines = readColumns(
      this.codes,
      findLines(this.codes).map((line) => ({
        ...line,
        segments: segmentsOf(this.codes, line, (at) => this.boxOf(at)),
      })),
    );
    const tables = findTables(lines.map(({ isHyphenated, segments }) => ({ segments: isHyphenated ? [] : segments })));
    let joined = false;
    let before: Rect | undefined;
    for (let at = 0; at < lines.length;) {
      const table = tables[0]?.first === at ? tables.shift() : undefined;
      if (table) {
        this.addTable(page, table, lines, words);
        joined = false;
        before = undefined;
        at = table.end;
        continue;
      }
      const { first, end, isHyphenated } = lines[at] ?? { first: 0, end: 0, isHyphenated: false };
      const rect = this.rectOf(first, end - first);
      if (isParagraphGap(before, rect)) page.endParagraph();
      const text = this.textIn(lines[at]);
      const ending = isHyphenated ? lineEnd(text, this.textIn(lines[at + 1])) : { end: '', joined: false };
      page.addLine(text + ending.end, rect, joined, words?.in([[first, end]]));
      before = rect;
      joined = ending.joined;
      at += 1;
    }
    return page;
  }

  /** Words that nobody sees are no text of the page. It is drawn, small, where that is in doubt. */
  private leaveOutUnseen(): void {
    if (this.text === 0) return;
    const { beyond, pale, inDoubt } = new UnseenWords(
      this.pdfium,
      this.handle,
      this.text,
      this.codes,
      this.memory,
      this.hasFormLayers,
    ).find();
    for (const [first, end] of beyond) this.codes.fill(BLANK, first, end);
    if (pale.length === 0 && inDoubt.length === 0) return;
    const picture = this.render(POINTS_PER_INCH);
    const leaveOut = (words: typeof pale, contrast: number) => {
      for (const [first, end] of words)
        if (!isDrawn(picture, this.rectOf(first, end - first), contrast)) this.codes.fill(BLANK, first, end);
    };
    leaveOut(pale, CONTRAST);
    leaveOut(inDoubt, TRACE);
  }

  private textIn(line: CharacterLine | undefined): string {
    return line ? textOf(this.codes.subarray(line.first, line.end)) : '';
  }

  private addTable(page: PageText, table: FoundTable, lines: readonly CharacterLine[], words: PdfWords | null): void {
    page.endParagraph();
    for (const row of table.rows) {
      const rects = row.lines.map((at) => {
        const { first, end } = lines[at] ?? { first: 0, end: 0 };
        return this.rectOf(first, end - first);
      });
      page.addLine(row.cells.join(' | '), unionOf(rects), false, words?.in(row.ranges));
    }
    page.endParagraph();
  }

  /** A character with its font's full height, in points of the page. */
  private boxOf(at: number): Segment {
    const { pdfium, memory } = this;
    pdfium.FPDFText_GetLooseCharBox(this.text, this.order?.[at] ?? at, memory);
    const view = new DataView(pdfium.pdfium.HEAPU8.buffer, memory, 16);
    const [x0 = 0, y1 = 0, x1 = 0, y0 = 0] = [0, 4, 8, 12].map((offset) => view.getFloat32(offset, true));
    return { text: '', x0, x1, y0, y1 };
  }

  private originOf(at: number): Origin {
    const { pdfium, memory } = this;
    pdfium.FPDFText_GetCharOrigin(this.text, at, memory, memory + 8);
    const view = new DataView(pdfium.pdfium.HEAPU8.buffer, memory, 16);
    return { x: view.getFloat64(0, true), y: view.getFloat64(8, true) };
  }

  private words(): PdfWords {
    const at = (x: number, y: number) => this.place((put) => put(x, y), identity);
    return new PdfWords(this.pdfium, this.text, this.codes, this.order, placeLike(at, this.size()));
  }

  /** In points, as displayed. */
  size(): { width: number; height: number } {
    const { pdfium, handle } = this;
    return { width: pdfium.FPDF_GetPageWidthF(handle), height: pdfium.FPDF_GetPageHeightF(handle) };
  }

  /** What was typed into forms and upon the page follows its text. @returns the fields that have a value */
  addTypedText(page: PageText, { withWords = false } = {}): SourceField[] {
    const fields: SourceField[] = [];
    const typed = readTypedText(this.pdfium, this.handle, this.form);
    if (typed.length > 0) page.endParagraph();
    for (const { text, label, isField, left, top, right, bottom } of typed) {
      const rect = this.place((put) => {
        put(left, top);
        put(right, bottom);
      });
      if (isField) fields.push({ name: label, value: text, rect });
      for (const [at, line] of text.split(/\r\n?|\n/).entries()) {
        // What it is called stands on it, or nowhere on the page.
        const named = at === 0 && label !== '' ? `${label}: ${line}` : line;
        page.addLine(named, rect, false, withWords ? [{ text: line, rect }] : []);
      }
    }
    return fields;
  }

  /** Its characters as PDFium gives them, whatever they are worth. */
  characters(): string {
    return textOf(this.codes);
  }

  /** Not blank: an image, or letters drawn as shapes, also inside of forms. */
  hasDrawings(): boolean {
    return this.pdfium.FPDFPage_CountObjects(this.handle) > 0;
  }

  /** The page as displayed in grey, at about `dpi` (less for very large pages). */
  render(dpi: number): GreyPicture {
    const { pixels, width, height } = this.paint(() => dpi / POINTS_PER_INCH, FORMAT_GREY, 0);
    const stride = pixels.length / height;
    if (stride === width) return { pixels, width, height };
    // Rows are padded to four bytes.
    const close = Buffer.alloc(width * height);
    for (let row = 0; row < height; row += 1) pixels.copy(close, row * width, row * stride, row * stride + width);
    return { pixels: close, width, height };
  }

  /** The page in colour with its annotations, as large as fits: four bytes a pixel, the last of them unused. */
  draw(maxWidth: number, maxHeight: number): Painted {
    const scaleFor = (wide: number, high: number) => Math.min(maxWidth / wide, maxHeight / high);
    return this.paint(scaleFor, FORMAT_BGRX, RED_FIRST | WITH_ANNOTATIONS);
  }

  private paint(scaleFor: (wide: number, high: number) => number, format: number, flags: number): Painted {
    const { pdfium } = this;
    const wide = Math.max(1, pdfium.FPDF_GetPageWidthF(this.handle));
    const high = Math.max(1, pdfium.FPDF_GetPageHeightF(this.handle));
    const scale = Math.min(scaleFor(wide, high), Math.sqrt(MAX_RENDERED_PIXELS / (wide * high)));
    const width = Math.max(1, Math.round(wide * scale));
    const height = Math.max(1, Math.round(high * scale));
    const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, format, 0, 0);
    if (bitmap === 0) throw new Error('PDFium: out of memory for a bitmap');
    try {
      pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
      pdfium.FPDF_RenderPageBitmap(bitmap, this.handle, 0, 0, width, height, 0, flags);
      const start = pdfium.FPDFBitmap_GetBuffer(bitmap);
      const bytes = pdfium.FPDFBitmap_GetStride(bitmap) * height;
      // A copy: wasm memory moves when it grows.
      return { pixels: Buffer.from(pdfium.pdfium.HEAPU8.slice(start, start + bytes).buffer), width, height };
    } finally {
      pdfium.FPDFBitmap_Destroy(bitmap);
    }
  }

  /** Union of the rectangles of `count` characters. */
  private rectOf(first: number, count: number): Rect {
    const { pdfium } = this;
    const pieces = pdfium.FPDFText_CountRects(this.text, first, count);
    if (pieces <= 0) return [0, 0, 1, 1];
    return this.place((put, memory) => {
      for (let n = 0; n < pieces; n += 1) {
        pdfium.FPDFText_GetRect(this.text, n, memory, memory + 8, memory + 16, memory + 24);
        const view = new DataView(pdfium.pdfium.HEAPU8.buffer, memory, 32);
        const [left = 0, top = 0, right = 0, bottom = 0] = [0, 8, 16, 24].map((offset) =>
          view.getFloat64(offset, true),
        );
        put(left, top);
        put(right, bottom);
      }
    });
  }

  /**
   * The rectangle around points of the page, turned and cropped as the page is displayed.
   * @param points hands each to `put`; it may use 32 bytes at `memory`
   * @param bounded what becomes of fractions beyond the page
   */
  private place(
    points: (put: (x: number, y: number) => void, memory: number) => void,
    bounded: (fraction: number) => number = clamp,
  ): Rect {
    const { pdfium } = this;
    const { wasmExports } = pdfium.pdfium;
    const memory = wasmExports.malloc(40);
    const box: Rect = [Infinity, Infinity, -Infinity, -Infinity];
    const put = (x: number, y: number) => {
      const size = DEVICE_UNITS;
      pdfium.FPDF_PageToDevice(this.handle, 0, 0, size, size, 0, x, y, memory + 32, memory + 36);
      const view = new DataView(pdfium.pdfium.HEAPU8.buffer, memory, 40);
      const dx = bounded(view.getInt32(32, true) / size);
      const dy = bounded(view.getInt32(36, true) / size);
      box[0] = Math.min(box[0], dx);
      box[1] = Math.min(box[1], dy);
      box[2] = Math.max(box[2], dx);
      box[3] = Math.max(box[3], dy);
    };
    try {
      points(put, memory);
    } finally {
      wasmExports.free(memory);
    }
    return box;
  }
}

/** The line stands clearly below the one before: more than the usual distance between two lines. */
function isParagraphGap(before: Rect | undefined, rect: Rect): boolean {
  if (before === undefined) return false;
  const height = Math.min(before[3] - before[1], rect[3] - rect[1]);
  return rect[1] - before[3] > height * PARAGRAPH_GAP;
}

const identity = (fraction: number) => fraction;

function clamp(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}

function unionOf(rects: readonly Rect[]): Rect {
  const side = (at: number, pick: (...values: number[]) => number) => pick(...rects.map((rect) => rect[at] ?? 0));
  return [side(0, Math.min), side(1, Math.min), side(2, Math.max), side(3, Math.max)];
}
