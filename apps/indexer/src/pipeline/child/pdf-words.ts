import type { SourceWord } from '@app/extraction/kit';
import type { CharacterRange } from './page-tables.js';
import type { RawWord } from './page-text.js';
import { textOf } from './pdf-lines.js';
import type { Pdfium } from './pdfium.js';

/** In heights of the font, above and below its baseline: what a line takes, whatever room the font says that it has. */
const ASCENT = 0.8;
const DESCENT = 0.22;
const BLANK = /\s/u;
const NOTE = /[\d*\u2020]/u;
/** UNSPACED_SCRIPTS of @app/common, which processes that read files do without: each sign is a word. */
const STANDS_ALONE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

interface Box {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** Places, in points of the page as it lies in the file, on the page as it is displayed. */
export type PlaceBox = (box: Box) => SourceWord['rect'];

/** Places boxes as a page places three of its points, so that it is not asked for each of thousands of words. */
export function placeLike(
  at: (x: number, y: number) => readonly number[],
  { width, height }: { width: number; height: number },
): PlaceBox {
  const far = Math.max(1, width, height);
  const [origin, right, up] = [at(0, 0), at(far, 0), at(0, far)];
  const along = (axis: 0 | 1, x: number, y: number) => {
    const from = origin[axis] ?? 0;
    return from + (((right[axis] ?? 0) - from) * x + ((up[axis] ?? 0) - from) * y) / far;
  };
  return (box) => {
    const xs = [along(0, box.left, box.top), along(0, box.right, box.bottom)];
    const ys = [along(1, box.left, box.top), along(1, box.right, box.bottom)];
    return [clamp(Math.min(...xs)), clamp(Math.min(...ys)), clamp(Math.max(...xs)), clamp(Math.max(...ys))];
  };
}

const clamp = (fraction: number) => Math.min(1, Math.max(0, fraction));

/** Words of a page with their places: letters between blanks. */
export class PdfWords {
  constructor(
    private readonly pdfium: Pdfium,
    /** The page's text in PDFium. */
    private readonly text: number,
    private readonly codes: Uint16Array,
    /** Which of PDFium's characters each of the codes is; null: the same. */
    private readonly order: Uint32Array | null,
    private readonly place: PlaceBox,
  ) {}

  in(ranges: readonly CharacterRange[]): RawWord[] {
    return ranges.flatMap(([from, to]) => this.between(from, to));
  }

  private between(from: number, to: number): RawWord[] {
    const words: RawWord[] = [];
    const { wasmExports } = this.pdfium.pdfium;
    const memory = wasmExports.malloc(32);
    let first = from;
    const end = (at: number) => {
      if (at > first)
        words.push({ text: textOf(this.codes.subarray(first, at)), rect: this.rectOf(first, at, memory) });
    };
    try {
      for (let at = from; at < to; at += 1) {
        const character = String.fromCharCode(this.codes[at] ?? 0);
        if (BLANK.test(character)) {
          end(at);
          first = at + 1;
        } else if (at > first && NOTE.test(character) && this.isRaised(at, memory)) {
          end(at);
          first = at;
        } else if (STANDS_ALONE.test(character)) {
          end(at);
          first = at;
          end(at + 1);
          first = at + 1;
        }
      }
      end(to);
    } finally {
      wasmExports.free(memory);
    }
    return words;
  }

  /** Smaller than what stands before it, and higher: it points to a note, and is none of its digits. */
  private isRaised(at: number, memory: number): boolean {
    const [before, here] = [this.lineOf(at - 1, memory), this.lineOf(at, memory)];
    if (before === null || here === null) return false;
    const usual = before.top - before.bottom;
    return here.top - here.bottom < 0.85 * usual && here.bottom > before.bottom + 0.1 * usual;
  }

  private rectOf(first: number, end: number, memory: number): SourceWord['rect'] {
    const line = this.lineOf(first, memory);
    const around: Box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
    for (let at = first; at < end; at += 1) {
      // Of a level word its ends say how wide it is, and only letters with marks are higher than their line.
      const isEnd = at === first || at === end - 1;
      if (line !== null && !isEnd && (this.codes[at] ?? 0) < 0x80) continue;
      const box = this.boxOf(at, line, memory);
      if (box === null) continue;
      around.left = Math.min(around.left, box.left);
      around.bottom = Math.min(around.bottom, box.bottom);
      around.right = Math.max(around.right, box.right);
      around.top = Math.max(around.top, box.top);
    }
    return this.place(around.left > around.right ? { left: 0, bottom: 0, right: 0, top: 0 } : around);
  }

  /** The height of a level line of this letter's size; null for text that runs another way. */
  private lineOf(at: number, memory: number): { bottom: number; top: number } | null {
    const { pdfium } = this;
    if (!pdfium.FPDFText_GetMatrix(this.text, this.ofPdfium(at), memory)) return null;
    const [a, b, c, d] = this.floats(memory);
    if (Math.abs(b) > 0.02 * Math.abs(a) || d <= 0) return null;
    if (!pdfium.FPDFText_GetCharOrigin(this.text, this.ofPdfium(at), memory, memory + 8)) return null;
    const [, baseline] = this.doubles(memory);
    const height = pdfium.FPDFText_GetFontSize(this.text, this.ofPdfium(at)) * Math.hypot(c, d);
    if (!(height > 0)) return null;
    return { bottom: baseline - DESCENT * height, top: baseline + ASCENT * height };
  }

  /** As wide as the letter's advance and as high as its line, and at least around its shape. */
  private boxOf(at: number, line: { bottom: number; top: number } | null, memory: number): Box | null {
    const { pdfium } = this;
    if (!pdfium.FPDFText_GetCharBox(this.text, this.ofPdfium(at), memory, memory + 8, memory + 16, memory + 24))
      return null;
    const [left, right, bottom, top] = this.doubles(memory);
    pdfium.FPDFText_GetLooseCharBox(this.text, this.ofPdfium(at), memory);
    const [l, t, r, b] = this.floats(memory);
    if (!(r > l && t > b)) return { left, right, bottom, top };
    if (line === null) return { left: Math.min(left, l), right: Math.max(right, r), bottom, top };
    return {
      left: l,
      right: r,
      bottom: Math.min(bottom, Math.max(b, line.bottom)),
      top: Math.max(top, Math.min(t, line.top)),
    };
  }

  private ofPdfium(at: number): number {
    return this.order?.[at] ?? at;
  }

  private floats(memory: number): [number, number, number, number] {
    const view = new DataView(this.pdfium.pdfium.HEAPU8.buffer, memory, 16);
    return [view.getFloat32(0, true), view.getFloat32(4, true), view.getFloat32(8, true), view.getFloat32(12, true)];
  }

  private doubles(memory: number): [number, number, number, number] {
    const view = new DataView(this.pdfium.pdfium.HEAPU8.buffer, memory, 32);
    return [view.getFloat64(0, true), view.getFloat64(8, true), view.getFloat64(16, true), view.getFloat64(24, true)];
  }
}
