import type { SeedIndex } from './seed-index.js';
import { isCurrency, isOfPartedWord } from './character-classes.js';
import { type FoldedText, isDigit } from './folded-text.js';

/** From one code to before another of a folded text. */
export interface Occurrence {
  start: number;
  end: number;
}

/** More of the same are ambiguous whatever is decided. */
const MOST = 5_000;
/** Codes; shorter words within others are parts of other words. */
const LONG_WITHIN_WORDS = 8;
const LONG_BESIDE_DIGITS = 3;
/** Upon one letter. */
const MOST_MARKS = 16;
const HYPHEN = 0x2d;
const BLANK = 0x20;

/** How well a place is parted from what stands around it. */
type Edge = 'clean' | 'doubtful' | 'cut';

/**
 * All places of a folded quote, in the order of the text; those within words or beside digits only where there are no
 * better ones, and those that would cut a number nowhere. Linear, whatever repeats itself: by a rare seed, or else after
 * Knuth, Morris and Pratt.
 * @param text of which `folded` was made
 */
export function findOccurrences(folded: FoldedText, text: string, quote: Uint16Array, seeds: SeedIndex): Occurrence[] {
  const clean: Occurrence[] = [];
  const doubtful: Occurrence[] = [];
  for (const start of seeds.places(quote) ?? scan(folded.codes, quote)) {
    if (clean.length >= MOST) break;
    const place = { start, end: start + quote.length };
    const edge = edgeOf(folded, text, place);
    if (edge === 'clean') clean.push(place);
    else if (edge === 'doubtful' && doubtful.length < MOST) doubtful.push(place);
  }
  return clean.length > 0 ? clean : doubtful;
}

function* scan(codes: Uint16Array, quote: Uint16Array): Generator<number> {
  const borders = bordersOf(quote);
  let matched = 0;
  for (let at = 0; at < codes.length; at += 1) {
    while (matched > 0 && codes[at] !== quote[matched]) matched = borders[matched - 1] ?? 0;
    if (codes[at] === quote[matched]) matched += 1;
    if (matched < quote.length) continue;
    matched = borders[matched - 1] ?? 0;
    yield at + 1 - quote.length;
  }
}

function bordersOf(quote: Uint16Array): Uint32Array {
  const borders = new Uint32Array(quote.length);
  let length = 0;
  for (let at = 1; at < quote.length; at += 1) {
    while (length > 0 && quote[at] !== quote[length]) length = borders[length - 1] ?? 0;
    if (quote[at] === quote[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}

export function edgeOf(folded: FoldedText, text: string, { start, end }: Occurrence): Edge {
  const size = end - start;
  const edges = [edgeAt(folded, text, start, size), edgeAt(folded, text, end, size)];
  if (numberGoesOn(folded.codes, start - 1, -1, start) || numberGoesOn(folded.codes, end, 1, end - 1)) return 'cut';
  if (edges.includes('cut')) return 'cut';
  if (edges.includes('doubtful') || isPartOfRange(folded.codes, start, end)) return 'doubtful';
  return 'clean';
}

export const isBetweenWords = (folded: FoldedText, text: string, at: number): boolean =>
  edgeAt(folded, text, at, 0) === 'clean';

/** Between the codes at `at - 1` and `at`. */
function edgeAt({ codes, from }: FoldedText, text: string, at: number, size: number): Edge {
  if (at === 0 || at === codes.length) return 'clean';
  const [before, after] = [from[at - 1] ?? 0, from[at] ?? 0];
  // A ligature is not parted, unless nothing but letters is asked for.
  if (before === after) return size >= LONG_WITHIN_WORDS ? 'doubtful' : 'cut';
  const digits = [isDigit(codes[at - 1]), isDigit(codes[at])];
  if (!standTogether(text, before, after)) return 'clean';
  if (digits[0] && digits[1]) return 'cut';
  if (digits[0] || digits[1]) return size >= LONG_BESIDE_DIGITS ? 'doubtful' : 'cut';
  return size >= LONG_WITHIN_WORDS ? 'doubtful' : 'cut';
}

/** Two characters of one word: nothing but marks and hidden ones between them. */
function standTogether(text: string, before: number, after: number): boolean {
  if (after < before || after - before > MOST_MARKS) return false;
  if (!isOfPartedWord(text.charCodeAt(before)) || !isOfPartedWord(text.charCodeAt(after))) return false;
  const size = (text.codePointAt(before) ?? 0) > 0xffff ? 2 : 1;
  return after - before === size || !/[^\p{M}\p{Cf}\u0640]/u.test(text.slice(before + size, after));
}

/** What stands beside a digit belongs to its number: a sign, or a mark and further digits. */
function numberGoesOn(codes: Uint16Array, beside: number, step: 1 | -1, inside: number): boolean {
  const code = codes[beside];
  if (code === undefined || !isNumeric(codes[inside])) return false;
  if (isDigit(code)) return isDigit(codes[inside]);
  const isSign = code === HYPHEN && !isDigit(codes[beside - 1]);
  if (step === -1 && isSign) return true;
  if (code === HYPHEN || code === BLANK || !isDigit(codes[inside])) return false;
  return isMarkOfNumber(code) && isDigit(codes[beside + step]);
}

const isNumeric = (code: number | undefined) => isDigit(code) || (code !== undefined && isCurrency(code));
const isMarkOfNumber = (code: number) => code === 0x2c || code === 0x2e || code === 0x3a || code === 0x27;

/** `20` of `10-20`. */
function isPartOfRange(codes: Uint16Array, start: number, end: number): boolean {
  const before = codes[start - 1] === HYPHEN && isDigit(codes[start - 2]) && isDigit(codes[start]);
  return before || (codes[end] === HYPHEN && isDigit(codes[end + 1]) && isDigit(codes[end - 1]));
}

/**
 * Where a number may go on beyond a blank, as `234,50` does in `1 234,50`: the codes of the digits on both sides. Whether it
 * does is told by how far they stand apart.
 */
export function groupsAround({ codes }: FoldedText, { start, end }: Occurrence): [number, number][] {
  const groups: [number, number][] = [];
  const isGroup = (at: number) => codes[at - 1] === BLANK && isDigit(codes[at - 2]) && digitsFrom(codes, at) === 3;
  if (isGroup(start) && isHeadOfThousands(codes, start - 2)) groups.push([start - 2, start]);
  if (isDigit(codes[end - 1]) && isGroup(end + 1) && isHeadOfThousands(codes, end - 1)) groups.push([end - 1, end + 1]);
  return groups;
}

/** One to three digits, and no part of a number before them. */
function isHeadOfThousands(codes: Uint16Array, last: number): boolean {
  let first = last;
  while (first > last - 3 && isDigit(codes[first - 1])) first -= 1;
  const before = codes[first - 1];
  return !isDigit(before) && (before === undefined || !isMarkOfNumber(before));
}

/** As many as there are, up to four. */
function digitsFrom(codes: Uint16Array, at: number): number {
  let count = 0;
  while (count < 4 && isDigit(codes[at + count])) count += 1;
  return count;
}
