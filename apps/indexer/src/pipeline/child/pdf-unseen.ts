import type { GreyPicture } from './ocr/grey-picture.js';
import type { Pdfium } from './pdfium.js';

/** Of 255: as good as white, and as good as not there. */
const PALE = 240;
const FAINT = 12;
/** In shades of grey: less than that nobody sees. */
const CONTRAST = 16;

/**
 * Words in white, or drawn as good as transparent: most stand on something dark, others are written for programs alone.
 * Text without any shape (of recognised scans) is none of them.
 * @param text the page's text in PDFium
 * @param memory 16 bytes
 * @returns the first character of each, and the one behind it
 */
export function paleWords(pdfium: Pdfium, text: number, codes: Uint16Array, memory: number): [number, number][] {
  const words: [number, number][] = [];
  for (let first = 0; first < codes.length;) {
    let end = first;
    while (end < codes.length && !isBlank(codes[end])) end += 1;
    if (end > first && isPale(pdfium, text, first, memory)) words.push([first, end]);
    first = end + 1;
  }
  return words;
}

function isPale(pdfium: Pdfium, text: number, at: number, memory: number): boolean {
  if (!pdfium.FPDFText_GetFillColor(text, at, memory, memory + 4, memory + 8, memory + 12)) return false;
  const view = new DataView(pdfium.pdfium.HEAPU8.buffer, memory, 16);
  const [red = 0, green = 0, blue = 0, alpha = 0] = [0, 4, 8, 12].map((offset) => view.getUint32(offset, true));
  return alpha <= FAINT || Math.min(red, green, blue) >= PALE;
}

/** Whether anything is drawn there. Only the middle of the line is looked at: above and below there may be rules. */
export function isDrawn(
  { pixels, width, height }: GreyPicture,
  [left, top, right, bottom]: readonly [number, number, number, number],
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
  return lightest - darkest >= CONTRAST;
}

function isBlank(code: number | undefined): boolean {
  return code === undefined || code <= 0x20 || code === 0xa0;
}
