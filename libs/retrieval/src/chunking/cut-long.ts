import type { TextRange } from '../text/blocks.js';

/** How far back from the furthest place a better one is looked for, as a share of the piece. */
const LEAST = 0.5;
/** Words of scripts without spaces are found in so many characters before the cut. */
const WORD_WINDOW = 200;
/** A sign with more marks on it than this is parted after all. */
const LONGEST_SIGN = 256;

const words = new Intl.Segmenter('en', { granularity: 'word' });

/** From the best place to the least one: a break is behind the match. */
const PLACES = [
  /\n\s*/g,
  / \| /g,
  /[.;:,،؛]\s+(?=[^\s\d])|[、，；：。]/g,
  /(?<=[^\s\d])\s+(?=\D)/g,
  /(?<!\d)\s+|\s+(?!\d)/g,
];

/** Parts what is longer than a passage (a sentence without an end, a row of a wide table) where it hurts least. */
export function* cutLong(text: string, range: TextRange, longest: number): Generator<TextRange> {
  let { start } = range;
  while (range.end - start > longest) {
    const end = placeBefore(text, start, start + longest);
    yield { start, end: start + text.slice(start, end).trimEnd().length };
    start = end;
    while (start < range.end && /\s/.test(text[start]!)) start++;
  }
  if (start < range.end) yield { start, end: range.end };
}

/** Where to cut at `limit` or a little before it: not within a word or number where there is another place. */
function placeBefore(text: string, start: number, limit: number): number {
  const from = start + Math.floor((limit - start) * LEAST);
  // One character more, so that a space at the limit counts.
  const window = text.slice(from, limit + 1);
  for (const place of PLACES) {
    const found = [...window.matchAll(place)].map(({ index, 0: match }) => index + match.trimEnd().length).at(-1);
    if (found !== undefined && from + found > start && from + found <= limit) return from + found;
  }
  return wordEnd(text, start, limit) ?? signEnd(text, start, limit);
}

/** The last word of Chinese, Japanese or Thai that ends by `limit`; null within a word without end. */
function wordEnd(text: string, start: number, limit: number): number | null {
  const from = signEnd(text, start, Math.max(start + 1, limit - WORD_WINDOW));
  // What goes on behind the limit tells whether the word ends there.
  let best: number | null = null;
  for (const { index } of words.segment(text.slice(from, limit + WORD_WINDOW / 4))) {
    const at = from + index;
    if (index > 0 && at <= limit && !(isDigit(text, at - 1) && isDigit(text, at))) best = at;
  }
  return best;
}

function isDigit(text: string, at: number): boolean {
  return /[\p{N}.,]/u.test(text[at] ?? '');
}

/** `limit`, or before it where a sign of several code units would be parted. */
function signEnd(text: string, start: number, limit: number): number {
  let at = limit;
  while (at > start + 1 && limit - at < LONGEST_SIGN && isWithinSign(text, at)) at--;
  if (!isWithinSign(text, at)) return at;
  return isLowSurrogate(text, limit) ? limit - 1 : limit;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Marks, variation selectors and what is joined by a joiner belong to the sign before them. */
function isWithinSign(text: string, at: number): boolean {
  if (at >= text.length) return false;
  if (isLowSurrogate(text, at)) return true;
  const next = String.fromCodePoint(text.codePointAt(at)!);
  return /^[\p{M}\u200d\p{Emoji_Modifier}]/u.test(next) || text[at - 1] === '\u200d';
}
