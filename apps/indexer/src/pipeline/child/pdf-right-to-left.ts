const LAM = 0x0644;
/** Alef, bare and with hamza or madda. */
const ALEFS = new Set([0x0622, 0x0623, 0x0625, 0x0627]);
const LINE_FEED = 0x0a;
const PLUS = 0x2b;
const BLANKS = new Set([0x09, 0x0d, 0x20, 0xa0]);
/** Letters further apart than so many of them are wide belong to two cells of a table. */
const CELL_GAP = 3;
/** What ends a sentence or a part of one. */
const STOPS = /^[.,:;!?\u060c\u061b\u061f]$/;
const STOPPED_NUMBER =
  /^([.,:;!?\u060c\u061b\u061f]+)[\d\u0660-\u066c\u06f0-\u06f9][\d\u0660-\u066c\u06f0-\u06f9.,:/%-]*$/;
const MIRRORED: ReadonlyMap<string, string> = new Map(
  ['()', '[]', '{}'].flatMap(([open = '', close = '']) => [
    [open, close],
    [close, open],
  ]),
);

const isRightToLeft = (code: number) =>
  (code >= 0x0590 && code <= 0x08ff && !isArabicDigit(code)) || (code >= 0xfb1d && code <= 0xfefc);
const isLatin = (code: number) =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || (code >= 0xc0 && code <= 0x24f);
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isArabicDigit = (code: number) => (code >= 0x0660 && code <= 0x066c) || (code >= 0x06f0 && code <= 0x06f9);
const isBlank = (code: number) => BLANKS.has(code);
const isStop = (code: number) => STOPS.test(String.fromCharCode(code));

/** In points of the page as it lies in the file. */
export interface Origin {
  x: number;
  y: number;
}

interface Letter {
  code: number;
  /** Its place among PDFium's characters. */
  from: number;
  x: number;
}

/**
 * PDFium turns lines that run from right to left around, letter by letter and by the kind of each. Some things come out
 * wrong, and nobody finds them: lam and alef, which are drawn as one shape ("الأفق" would be read as "األفق"); words such as
 * `INV-2025-1`, whose letters, digits and dashes are turned apart ("-2025-1INV"); names and telephone numbers of several
 * words, which come word by word from the right ("Ltd Trading ABC"); stops behind such words or numbers, which come before
 * them; and brackets that the file itself has turned.
 * @param codes of the page, changed in place
 * @param originOf where a character of PDFium begins
 * @returns which of PDFium's characters each is now; null: the same
 */
export function restoreOrder(codes: Uint16Array, originOf: (at: number) => Origin): Uint32Array | null {
  let order: Uint32Array | null = null;
  for (let first = 0; first < codes.length;) {
    let end = codes.indexOf(LINE_FEED, first);
    if (end === -1) end = codes.length;
    const line = codes.subarray(first, end);
    if (line.some(isRightToLeft)) {
      order ??= Uint32Array.from(codes, (_, at) => at);
      restoreLine(line, order.subarray(first, end), originOf);
    }
    first = end + 1;
  }
  return order;
}

function restoreLine(line: Uint16Array, order: Uint32Array, originOf: (at: number) => Origin): void {
  const place = (at: number) => originOf(order[at] ?? 0);
  for (let at = 0; at + 1 < line.length; at += 1) {
    const first = line[at] ?? 0;
    if (line[at + 1] !== LAM || !ALEFS.has(first) || !isOnePlace(place(at), place(at + 1))) continue;
    line[at] = LAM;
    line[at + 1] = first;
    at += 1;
  }
  const [from, to] = [line.findIndex(isRightToLeft), line.findLastIndex(isRightToLeft)];
  // Upside down it runs the other way.
  if (from < to && place(from).x <= place(to).x) return;
  for (let first = 0; first < line.length;) {
    let end = first;
    while (end < line.length && !isRightToLeft(line[end] ?? 0)) end += 1;
    const letters = Array.from(line.subarray(first, end), (code, n) => ({
      code,
      from: order[first + n] ?? 0,
      x: place(first + n).x,
    }));
    for (const [n, { code, from: at }] of leftToRight(letters).entries()) {
      line[first + n] = code;
      order[first + n] = at;
    }
    first = end + 1;
  }
  turnBrackets(line);
}

/** What stands between letters that run from right to left, as it is read. */
function leftToRight(letters: readonly Letter[]): Letter[] {
  const words: Letter[][] = [];
  const read: Letter[] = [];
  const close = () => {
    read.push(...phrase(words.splice(0)));
  };
  const width = usualWidth(letters);
  for (let first = 0; first < letters.length;) {
    let end = first;
    const blank = isBlank(letters[first]?.code ?? 0);
    while (end < letters.length && isBlank(letters[end]?.code ?? 0) === blank) end += 1;
    const word = letters.slice(first, end);
    if (!blank && words.length > 0 && gapBetween(words.at(-2) ?? [], word) > CELL_GAP * width) close();
    words.push(word);
    first = end;
  }
  close();
  return read;
}

/** Words from the right, and the blanks between them, none of which runs from right to left. */
function phrase(words: readonly Letter[][]): Letter[] {
  const isWord = (word: readonly Letter[]) => word.some(({ code }) => isLatin(code));
  const isNumber = (word: readonly Letter[]) => word.some(({ code }) => isDigit(code));
  const last = words.findLastIndex((word) => isWord(word) || isNumber(word));
  // A number that begins with a plus at its left is set to be read from there.
  const isTelephone = !words.some(isWord) && byPlace(words[last] ?? [])[0]?.code === PLUS;
  const first = words.findIndex(isTelephone ? isNumber : isWord);
  if (first === -1) return words.flatMap(behindStops);
  const end = isTelephone ? last : words.findLastIndex(isWord);
  return [
    ...words.slice(0, first).flatMap(behindStops),
    ...fromTheLeft(words.slice(first, end + 1)),
    ...words.slice(end + 1).flatMap(behindStops),
  ];
}

/**
 * As they are displayed, but for a stop at the left of them all, which stands behind them. Digits alone are not: behind
 * Arabic letters the parts of "12-34" are displayed from right to left.
 */
function fromTheLeft(words: readonly Letter[][]): Letter[] {
  const blanks = words.filter((word) => isBlank(word[0]?.code ?? 0));
  const shown = words
    .filter((word) => !blanks.includes(word))
    .map(byPlace)
    .toSorted((a, b) => (a[0]?.x ?? 0) - (b[0]?.x ?? 0));
  const [leftmost = [], ...others] = shown;
  const stops = leftmost.slice(
    0,
    leftmost.findIndex(({ code }) => !isStop(code)),
  );
  const ordered = [leftmost.slice(stops.length), ...others];
  return [
    ...ordered.flatMap((word, at) => (at === 0 ? word : [...(blanks[at - 1] ?? []), ...word])),
    ...stops.toReversed(),
  ];
}

const byPlace = (word: readonly Letter[]) => word.toSorted((a, b) => a.x - b.x);

/** A number with the stop that PDFium puts before it. */
function behindStops(word: readonly Letter[]): Letter[] {
  const end = STOPPED_NUMBER.exec(String.fromCharCode(...word.map(({ code }) => code)))?.[1]?.length ?? 0;
  return [...word.slice(end), ...word.slice(0, end).toReversed()];
}

/** Programs that write the bracket that was typed rather than the shape that is displayed have it turned once too often. */
function turnBrackets(line: Uint16Array): void {
  const at = Array.from(line, (code, n) => ({ n, sign: String.fromCharCode(code) })).filter(({ sign }) =>
    MIRRORED.has(sign),
  );
  const signs = at.map(({ sign }) => sign);
  const turned = signs.map((sign) => MIRRORED.get(sign) ?? sign);
  if (arePaired(signs) || !arePaired(turned)) return;
  for (const [index, { n }] of at.entries()) line[n] = turned[index]?.charCodeAt(0) ?? 0;
}

function arePaired(signs: readonly string[]): boolean {
  const open: string[] = [];
  for (const sign of signs)
    if ('([{'.includes(sign)) open.push(sign);
    else if (open.pop() !== MIRRORED.get(sign)) return false;
  return open.length === 0;
}

function usualWidth(letters: readonly Letter[]): number {
  const steps = letters
    .flatMap(({ code, x }, at) => {
      const before = letters[at - 1];
      return before && !isBlank(before.code) && !isBlank(code) ? [Math.abs(x - before.x)] : [];
    })
    .toSorted((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? Infinity;
}

/** From where the letters of one begin to where those of the other, further left, do. */
function gapBetween(right: readonly Letter[], left: readonly Letter[]): number {
  return Math.min(...right.map(({ x }) => x)) - Math.max(...left.map(({ x }) => x));
}

const isOnePlace = (a: Origin, b: Origin) => a.x === b.x && a.y === b.y;
