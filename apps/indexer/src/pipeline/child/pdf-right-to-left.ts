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
 * words, which come word by word from the other side ("Ltd Trading ABC"); stops behind such words or numbers, which come before
 * them; and brackets that the file itself has turned.
 * @param codes of the page, changed in place
 * @param originOf where a character of PDFium begins
 * @returns which of PDFium's characters each is now; null: the same
 */
export function restoreOrder(codes: Uint16Array, originOf: (at: number) => Origin): Uint32Array | null {
  let order: Uint32Array | null = null;
  const isLatinPage = codes.filter(isLatin).length > codes.filter(isRightToLeft).length;
  for (let first = 0; first < codes.length;) {
    let end = codes.indexOf(LINE_FEED, first);
    if (end === -1) end = codes.length;
    const line = codes.subarray(first, end);
    if (line.some(isRightToLeft)) {
      order ??= Uint32Array.from(codes, (_, at) => at);
      restoreLine(line, order.subarray(first, end), originOf, isLatinPage);
    }
    first = end + 1;
  }
  return order;
}

function restoreLine(
  line: Uint16Array,
  order: Uint32Array,
  originOf: (at: number) => Origin,
  isLatinPage: boolean,
): void {
  const place = (at: number) => originOf(order[at] ?? 0);
  for (let at = 0; at + 1 < line.length; at += 1) {
    const first = line[at] ?? 0;
    if (line[at + 1] !== LAM || !ALEFS.has(first) || !isOnePlace(place(at), place(at + 1))) continue;
    line[at] = LAM;
    line[at + 1] = first;
    at += 1;
  }
  const letters = Array.from(line, (code, at) => ({ code, from: order[at] ?? 0, x: place(at).x }));
  const words = wordsOf(letters);
  // Upside down it runs the other way.
  if (words.some(runsToTheRight)) return;
  const isFromTheLeft = leftOf(words[0]) < leftOf(words.findLast((word) => !isGap(word)));
  const width = usualWidth(letters);
  const read = isFromTheLeft
    ? withTurnedRuns(words, width)
    : isLatinPage
      ? runsFromTheLeft(words, width)
      : withTurnedPhrases(letters);
  for (const [at, { code, from }] of read.entries()) {
    line[at] = code;
    order[at] = from;
  }
  turnBrackets(line);
}

/** Words, and the blanks between them. */
function wordsOf(letters: readonly Letter[]): Letter[][] {
  const words: Letter[][] = [];
  for (let first = 0; first < letters.length;) {
    let end = first;
    const blank = isBlank(letters[first]?.code ?? 0);
    while (end < letters.length && isBlank(letters[end]?.code ?? 0) === blank) end += 1;
    words.push(letters.slice(first, end));
    first = end;
  }
  return words;
}

const isGap = (word: readonly Letter[]) => isBlank(word[0]?.code ?? 0);
const leftOf = (word: readonly Letter[] = []) => Math.min(...word.map(({ x }) => x));
const hasRightToLeft = (word: readonly Letter[]) => word.some(({ code }) => isRightToLeft(code));
const hasLatin = (word: readonly Letter[]) => word.some(({ code }) => isLatin(code));

function runsToTheRight(word: readonly Letter[]): boolean {
  const [first, last] = [
    word.find(({ code }) => isRightToLeft(code)),
    word.findLast(({ code }) => isRightToLeft(code)),
  ];
  return first !== undefined && last !== undefined && first.x < last.x;
}

/** A line from the left, in which several words from the right follow each other: PDFium turns each of them alone. */
function withTurnedRuns(words: readonly Letter[][], width: number): Letter[] {
  const read: Letter[] = [];
  for (let first = 0; first < words.length;) {
    const word = words[first] ?? [];
    let last = first;
    if (hasRightToLeft(word))
      for (let next = first + 1; next < words.length; next += 1) {
        const other = words[next] ?? [];
        if (isGap(other)) continue;
        if (hasLatin(other) || gapBetween(other, words[next - 2] ?? []) > CELL_GAP * width) break;
        if (hasRightToLeft(other)) last = next;
      }
    read.push(...(last > first ? turnedRun(words.slice(first, last + 1)) : word));
    first = last + 1;
  }
  return read;
}

/** What stands to the left and to the right of the letters of a run belongs to the line. */
function turnedRun(words: readonly Letter[][]): Letter[] {
  const [first = [], last = []] = [words[0], words.at(-1)];
  const begin = first.findIndex(({ code }) => isRightToLeft(code));
  const end = last.findLastIndex(({ code }) => isRightToLeft(code)) + 1;
  const turned = [last.slice(0, end), ...words.slice(1, -1).toReversed(), first.slice(begin)];
  return [...first.slice(0, begin), ...turned.flat(), ...last.slice(end)];
}

/** A line of a page that is read from the left, which PDFium has turned for a few words from the right within it. */
function runsFromTheLeft(words: readonly Letter[][], width: number): Letter[] {
  const runs: Letter[][][] = [[]];
  const between: Letter[][] = [];
  let isLatinRun: boolean | undefined;
  for (const [at, word] of words.entries()) {
    const run = runs.at(-1) ?? [];
    const kind = hasLatin(word) ? true : hasRightToLeft(word) ? false : undefined;
    const isOther = kind !== undefined && isLatinRun !== undefined && kind !== isLatinRun;
    const isApart = !isGap(word) && run.length > 1 && gapBetween(words[at - 2] ?? [], word) > CELL_GAP * width;
    if (isOther || isApart) {
      between.push(run.length > 1 && isGap(run.at(-1) ?? []) ? (run.pop() ?? []) : []);
      runs.push([word]);
      isLatinRun = kind;
    } else {
      run.push(word);
      isLatinRun ??= kind;
    }
  }
  const read = runs.map((run) =>
    run.some(hasLatin) && !run.some(hasRightToLeft) ? fromTheLeft(run) : run.flatMap(behindStops),
  );
  const blanks = between.toReversed();
  return read.toReversed().flatMap((run, at) => (at === 0 ? run : [...(blanks[at - 1] ?? []), ...run]));
}

/** A line from the right: what stands between its letters is turned. */
function withTurnedPhrases(letters: readonly Letter[]): Letter[] {
  const read: Letter[] = [];
  for (let first = 0; first < letters.length;) {
    let end = first;
    while (end < letters.length && !isRightToLeft(letters[end]?.code ?? 0)) end += 1;
    read.push(...leftToRight(letters.slice(first, end)), ...letters.slice(end, end + 1));
    first = end + 1;
  }
  return read;
}

/** What stands between letters that run from right to left, as it is read. */
function leftToRight(letters: readonly Letter[]): Letter[] {
  const words: Letter[][] = [];
  const read: Letter[] = [];
  const close = () => {
    read.push(...phrase(words.splice(0)));
  };
  const width = usualWidth(letters);
  for (const word of wordsOf(letters)) {
    if (!isGap(word) && words.length > 0 && gapBetween(words.at(-2) ?? [], word) > CELL_GAP * width) close();
    words.push(word);
  }
  close();
  return read;
}

/** Words from the right, and the blanks between them, none of which runs from right to left. */
function phrase(words: readonly Letter[][]): Letter[] {
  const isNumber = (word: readonly Letter[]) => word.some(({ code }) => isDigit(code));
  const last = words.findLastIndex((word) => hasLatin(word) || isNumber(word));
  // A number that begins with a plus at its left is set to be read from there.
  const isTelephone = !words.some(hasLatin) && byPlace(words[last] ?? [])[0]?.code === PLUS;
  const first = words.findIndex(isTelephone ? isNumber : hasLatin);
  if (first === -1) return words.flatMap(behindStops);
  const end = isTelephone ? last : words.findLastIndex(hasLatin);
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
  const blanks = words.filter(isGap);
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

/**
 * Programs that write the bracket that was typed rather than the shape that is displayed have it turned once too often; in
 * lines from the left PDFium turns those beside letters from the right. They are turned back where that makes pairs of them.
 */
function turnBrackets(line: Uint16Array): void {
  const at = Array.from(line, (code, n) => ({ n, sign: String.fromCharCode(code) })).filter(({ sign }) =>
    MIRRORED.has(sign),
  );
  const signs = at.map(({ sign }) => sign);
  if (arePaired(signs)) return;
  const beside = (n: number) => [n - 1, n + 1].some((other) => isRightToLeft(line[other] ?? 0));
  for (const isTurned of [() => true, beside]) {
    const turned = at.map(({ n, sign }) => (isTurned(n) ? (MIRRORED.get(sign) ?? sign) : sign));
    if (!arePaired(turned)) continue;
    for (const [index, { n }] of at.entries()) line[n] = turned[index]?.charCodeAt(0) ?? 0;
    return;
  }
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
