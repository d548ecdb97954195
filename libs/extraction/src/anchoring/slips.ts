import type { FoldedText } from './folded-text.js';

/** A word of a quote: as written, and which codes of the folded quote it is. */
export interface QuotedWord {
  text: string;
  start: number;
  end: number;
}

export interface ApproximateQuote {
  codes: Uint16Array;
  words: readonly QuotedWord[];
}

/** Letters; a slip in a shorter word makes another word. */
const SHORTEST = { printed: 6, recognised: 4 };

/**
 * Whether a quote says the same, word by word, but for slips of the pen. In print one letter of a long word in small
 * letters, not its first: whoever changes a name or leaves out a `not` has not quoted. Where the text was recognised, a
 * fourth of the letters of each word.
 * @param matches for each code of the quote the code of the text that stands for it; -1: none
 */
export function sameButForSlips(
  { codes, from }: FoldedText,
  text: string,
  quote: ApproximateQuote,
  matches: Int32Array,
  recognised: boolean,
): boolean {
  let before = -1;
  for (const word of quote.words) {
    const size = word.end - word.start;
    const there = matches.subarray(word.start, word.end).filter((match) => match !== -1);
    const [first, last] = [there[0], there.at(-1)];
    if (first === undefined || last === undefined) return false;
    // Codes between two words belong to neither: the quote leaves out a word.
    const between = before === -1 ? 0 : first - before - 1;
    const extra = last - first + 1 - there.length;
    const swapped = there.length - sameCodes(codes, quote.codes, matches, word);
    const slips = between + extra + (size - there.length) + swapped;
    before = last;
    if (slips === 0 || (recognised && between === 0 && looksAlike(codes.subarray(first, last + 1), quote.codes, word)))
      continue;
    if (size < (recognised ? SHORTEST.recognised : SHORTEST.printed)) return false;
    if (slips > (recognised ? Math.max(1, Math.floor(size / 4)) : 1)) return false;
    if (!recognised && !beginsSmall(word.text, text.slice(from[first], (from[first] ?? 0) + 1))) return false;
  }
  return true;
}

/** Letters that are taken for each other where print is poor. */
const ALIKE: readonly [RegExp, string][] = [
  [/rn|nn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
  [/ii|ij/g, 'u'],
  [/[ijt]/g, 'l'],
];

function looksAlike(there: Uint16Array, quote: Uint16Array, { start, end }: QuotedWord): boolean {
  if (there.length > 64 || end - start > 64) return false;
  const [a, b] = [there, quote.subarray(start, end)].map((codes) =>
    ALIKE.reduce((word, [letters, like]) => word.replace(letters, like), String.fromCharCode(...codes)),
  );
  return a === b;
}

function sameCodes(codes: Uint16Array, quote: Uint16Array, matches: Int32Array, { start, end }: QuotedWord): number {
  let same = 0;
  for (let at = start; at < end; at += 1) if (codes[matches[at] ?? -1] === quote[at]) same += 1;
  return same;
}

function beginsSmall(word: string, there: string): boolean {
  const letter = word.slice(0, 1);
  return letter === there && letter !== letter.toUpperCase();
}
