import type { GreyPicture } from './ocr/grey-picture.js';
import { isOutside, PdfObjects, type Box } from './pdf-objects.js';
import type { Pdfium } from './pdfium.js';

/** Of 255: as good as white, and as good as not there. */
const PALE = 240;
const FAINT = 12;
/** In shades of grey: less than that nobody sees. */
export const CONTRAST = 16;
/** Letters that are small, thin or grey darken a small drawing by little more. Paper that nothing is drawn on is even. */
export const TRACE = 2;
/** Modes of text that is drawn in no way. */
const SHAPELESS = new Set([3, 7]);
const LONGEST_WORD = 1000;
const LETTERS = /[\p{L}\p{N}]/u;
const PLAIN = /^[\x21-\x7e]+$/;
const ALWAYS = () => true;
const NEVER = () => false;

type Word = [first: number, end: number];

/** Words of a page that may not be seen upon it. */
export interface Suspects {
  /** Beyond the edges of what is shown of the page. */
  beyond: Word[];
  /** In a colour that is seen upon few others: there is to be a contrast. */
  pale: Word[];
  /** In a colour that is seen, if they are drawn at all: there is to be a trace. */
  inDoubt: Word[];
}

/**
 * Words that are written for programs alone, maybe: in white or as good as transparent, without a shape and not upon a
 * picture (as of recognised scans), cut away by a clip, in a layer that may be switched off, or beyond the page. Most of
 * them are seen all the same: white ones stand on something dark, layers are shown.
 */
export class UnseenWords {
  private readonly bounds: Box;
  private readonly objects: PdfObjects;
  private readonly doubts = new Map<number, (box: Box) => boolean>();

  /**
   * @param text the page's text in PDFium
   * @param memory 32 bytes
   * @param hasFormLayers whether forms of the file may belong to layers
   */
  constructor(
    private readonly pdfium: Pdfium,
    page: number,
    private readonly text: number,
    private readonly codes: Uint16Array,
    private readonly memory: number,
    hasFormLayers: () => boolean,
  ) {
    this.bounds = this.boundsOf(page);
    this.objects = new PdfObjects(pdfium, page, memory, hasFormLayers);
  }

  find(): Suspects {
    const found: Suspects = { beyond: [], pale: [], inDoubt: [] };
    for (let first = 0; first < this.codes.length;) {
      let end = first;
      while (end < this.codes.length && !isBlank(this.codes[end])) end += 1;
      if (end > first) this.judge([first, end], found);
      first = end + 1;
    }
    return found;
  }

  private judge(word: Word, found: Suspects): void {
    const [first, end] = word;
    const box = this.charBox(first);
    if (box && isOutside(box, this.bounds) && isOutside(this.charBox(end - 1) ?? box, this.bounds))
      found.beyond.push(word);
    else if (this.isPale(first)) found.pale.push(word);
    else if (box && this.doubtOf(first)(box) && this.isDrawable(word)) found.inDoubt.push(word);
  }

  private isPale(at: number): boolean {
    const { pdfium, memory } = this;
    if (!pdfium.FPDFText_GetFillColor(this.text, at, memory, memory + 4, memory + 8, memory + 12)) return false;
    const [red = 0, green = 0, blue = 0, alpha = 0] = new Uint32Array(pdfium.pdfium.HEAPU8.buffer, memory, 4);
    return alpha <= FAINT || Math.min(red, green, blue) >= PALE;
  }

  /** What is to be asked of the place of a word, by the piece of text that it belongs to. */
  private doubtOf(at: number): (box: Box) => boolean {
    const piece = this.pdfium.FPDFText_GetTextObject(this.text, at);
    let doubt = this.doubts.get(piece);
    if (doubt === undefined) this.doubts.set(piece, (doubt = piece === 0 ? NEVER : this.doubtOfPiece(piece)));
    return doubt;
  }

  private doubtOfPiece(piece: number): (box: Box) => boolean {
    const { pdfium, objects } = this;
    if (SHAPELESS.has(pdfium.FPDFTextObj_GetTextRenderMode(piece)))
      return (box) => !objects.pictures.some((picture) => !isOutside(box, picture));
    if (objects.isInDoubt(piece)) return ALWAYS;
    const clip = objects.clipOf(piece);
    return clip === null ? NEVER : (box) => isOutside(box, clip);
  }

  /** PDFium has the letters of few fonts that a file does not bring along: what it cannot draw may be there. */
  private isDrawable([first, end]: Word): boolean {
    const { pdfium } = this;
    const word = String.fromCharCode(...this.codes.subarray(first, Math.min(end, first + LONGEST_WORD)));
    if (!LETTERS.test(word)) return false;
    const piece = pdfium.FPDFText_GetTextObject(this.text, first);
    return PLAIN.test(word) || pdfium.FPDFFont_GetIsEmbedded(pdfium.FPDFTextObj_GetFont(piece)) === 1;
  }

  private boundsOf(page: number): Box {
    if (!this.pdfium.FPDF_GetPageBoundingBox(page, this.memory))
      return { left: -Infinity, bottom: -Infinity, right: Infinity, top: Infinity };
    const [left = 0, top = 0, right = 0, bottom = 0] = this.written();
    return { left, bottom, right, top };
  }

  private charBox(at: number): Box | null {
    if (!this.pdfium.FPDFText_GetLooseCharBox(this.text, at, this.memory)) return null;
    const [left = 0, top = 0, right = 0, bottom = 0] = this.written();
    return { left, bottom, right, top };
  }

  /** What PDFium wrote last. */
  private written(): Float32Array {
    return new Float32Array(this.pdfium.pdfium.HEAPU8.buffer, this.memory, 4);
  }
}

/**
 * Whether anything is drawn there. Only the middle of the line is looked at: above and below there may be rules.
 * @param contrast between the darkest and the lightest, in shades of grey
 */
export function isDrawn(
  { pixels, width, height }: GreyPicture,
  [left, top, right, bottom]: readonly [number, number, number, number],
  contrast: number,
): boolean {
  const quarter = (bottom - top) / 4;
  const [x0, x1] = [Math.floor(left * width), Math.ceil(right * width)];
  const [y0, y1] = [Math.floor((top + quarter) * height), Math.ceil((bottom - quarter) * height)];
  let [darkest, lightest] = [255, 0];
  for (let y = y0; y < Math.min(y1, height); y += 1)
    for (let x = x0; x < Math.min(x1, width); x += 1) {
      const grey = pixels[y * width + x] ?? 255;
      darkest = Math.min(darkest, grey);
      lightest = Math.max(lightest, grey);
    }
  return lightest - darkest >= contrast;
}

function isBlank(code: number | undefined): boolean {
  return code === undefined || code <= 0x20 || code === 0xa0;
}
