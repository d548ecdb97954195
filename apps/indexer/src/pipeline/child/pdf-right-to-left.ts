const LAM = 0x0644;
/** Alef, bare and with hamza or madda. */
const ALEFS = new Set([0x0622, 0x0623, 0x0625, 0x0627]);
const LINE_FEED = 0x0a;
const BLANKS = new Set([0x09, 0x0d, 0x20, 0xa0]);

const isRightToLeft = (code: number) =>
  (code >= 0x0590 && code <= 0x08ff && !isArabicDigit(code)) || (code >= 0xfb1d && code <= 0xfefc);
const isLatin = (code: number) => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
const isArabicDigit = (code: number) => (code >= 0x0660 && code <= 0x066c) || (code >= 0x06f0 && code <= 0x06f9);

/** In points of the page as it lies in the file. */
export interface Origin {
  x: number;
  y: number;
}

/**
 * PDFium turns lines that run from right to left around, letter by letter and by the kind of each. Two things come out
 * wrong: lam and alef, which are drawn as one shape ("الأفق" would be read as "األفق"), and words such as `INV-2025-1`, whose
 * letters, digits and dashes are turned apart ("-2025-1INV"). Nobody finds either.
 * @param codes of the page, changed in place
 * @param originOf where a character begins
 */
export function restoreOrder(codes: Uint16Array, originOf: (at: number) => Origin): void {
  for (let first = 0; first < codes.length;) {
    let end = codes.indexOf(LINE_FEED, first);
    if (end === -1) end = codes.length;
    if (codes.subarray(first, end).some(isRightToLeft))
      restoreLine(codes.subarray(first, end), (at) => originOf(first + at));
    first = end + 1;
  }
}

function restoreLine(line: Uint16Array, originOf: (at: number) => Origin): void {
  for (let at = 0; at + 1 < line.length; at += 1) {
    const first = line[at] ?? 0;
    if (line[at + 1] !== LAM || !ALEFS.has(first) || !isOnePlace(originOf(at), originOf(at + 1))) continue;
    line[at] = LAM;
    line[at + 1] = first;
    at += 1;
  }
  const [from, to] = [line.findIndex(isRightToLeft), line.findLastIndex(isRightToLeft)];
  // Upside down it runs the other way.
  if (from < to && originOf(from).x <= originOf(to).x) return;
  for (let first = 0; first < line.length;) {
    let end = first;
    while (end < line.length && !BLANKS.has(line[end] ?? 0)) end += 1;
    const word = line.subarray(first, end);
    if (word.some(isLatin) && !word.some(isRightToLeft)) sortWord(word, (at) => originOf(first + at));
    first = end + 1;
  }
}

/**
 * A word of Latin letters is read from left to right, however it was turned. Digits alone are not: behind Arabic letters the
 * parts of "12-34" are displayed from right to left.
 */
function sortWord(word: Uint16Array, originOf: (at: number) => Origin): void {
  const placed = Array.from(word, (code, at) => ({ code, x: originOf(at).x }));
  if (placed.every(({ x }, at) => at === 0 || x >= (placed[at - 1]?.x ?? 0))) return;
  placed.sort((a, b) => a.x - b.x);
  for (const [at, { code }] of placed.entries()) word[at] = code;
}

const isOnePlace = (a: Origin, b: Origin) => a.x === b.x && a.y === b.y;
