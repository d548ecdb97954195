import type { FoldedText } from './folded-text.js';
import { edgeOf, isBetweenWords, type Occurrence } from './occurrences.js';
import type { SeedIndex } from './seed-index.js';
import { type ApproximateQuote, sameButForSlips } from './slips.js';

/** Codes; less is no evidence when it is not there word for word, more is no quote. */
const SHORTEST = 12;
const LONGEST = 4_000;
/** Share of the codes that may differ. */
const DIFFERENT = { printed: 0.03, recognised: 0.12 };
const MOST_DIFFERENT = 40;

/**
 * Places where a quote stands but for a few letters; of equally good ones all. What is not a letter has to be the same:
 * digits, what parts them, signs, currencies.
 * @param isRecognised whether the text around a code was read from a picture
 */
export function findApproximately(
  folded: FoldedText,
  text: string,
  index: SeedIndex,
  quote: ApproximateQuote,
  isRecognised: (code: number) => boolean,
): Occurrence[] {
  const { codes } = quote;
  if (codes.length < SHORTEST || codes.length > LONGEST) return [];
  const found: (Occurrence & { cost: number })[] = [];
  for (const window of index.windows(codes)) {
    const recognised = isRecognised(Math.min(window, folded.codes.length - 1));
    const share = recognised ? DIFFERENT.recognised : DIFFERENT.printed;
    const most = Math.min(MOST_DIFFERENT, Math.max(1, Math.floor(codes.length * share)));
    const aligned = align(folded.codes, codes, window, most, (at) => isBetweenWords(folded, text, at));
    if (aligned === null) continue;
    const place = { start: aligned.start, end: aligned.end };
    if (edgeOf(folded, text, place) === 'cut') continue;
    if (!sameButForSlips(folded, text, quote, aligned.matches, recognised)) continue;
    if (!found.some(({ start }) => start === place.start)) found.push({ ...place, cost: aligned.cost });
  }
  const least = Math.min(...found.map(({ cost }) => cost));
  return found.filter(({ cost }) => cost === least).toSorted((a, b) => a.start - b.start);
}

interface Alignment extends Occurrence {
  cost: number;
  /** For each code of the quote the code of the text that it is or stands for; -1: none. */
  matches: Int32Array;
}

/** Slack around the place that the seeds tell, for the window's own grain. */
const GRAIN = 32;
const IMPOSSIBLE = 1e6;
/** Costs: a letter more, less or other; and, to tell equals apart, to begin or end within a word. */
const SLIP = 4;
const WITHIN_WORD = 1;

/** The best alignment of the quote that begins about `window`, within a band around the diagonal (Ukkonen). */
function align(
  codes: Uint16Array,
  quote: Uint16Array,
  window: number,
  most: number,
  isEdge: (at: number) => boolean,
): Alignment | null {
  const reach = GRAIN + most;
  const first = window - reach;
  const width = 2 * reach + 1;
  // Column `c` of row `r` ends before code `first + r + c` of the text; it may begin anywhere.
  const steps = new Uint8Array((quote.length + 1) * width);
  const edgeCost = (at: number) => (at < 0 || at > codes.length ? IMPOSSIBLE : isEdge(at) ? 0 : WITHIN_WORD);
  let costs = Int32Array.from({ length: width }, (_, column) => edgeCost(first + column));
  for (let row = 1; row <= quote.length; row += 1) {
    const here = new Int32Array(width).fill(IMPOSSIBLE);
    const wanted = quote[row - 1] ?? 0;
    let least = IMPOSSIBLE;
    for (let column = 0; column < width; column += 1) {
      const there = codes[first + row - 1 + column];
      let cost = (costs[column + 1] ?? IMPOSSIBLE) + drop(wanted);
      let step = 2;
      if (there !== undefined) {
        const same = (costs[column] ?? IMPOSSIBLE) + (there === wanted ? 0 : swap(there, wanted));
        if (same <= cost) [cost, step] = [same, 1];
        const extra = (column > 0 ? (here[column - 1] ?? IMPOSSIBLE) : IMPOSSIBLE) + drop(there);
        // Of equals the one that leaves none of the quote's letters out: it begins where the word does.
        if (extra < cost || (extra === cost && step === 2)) [cost, step] = [extra, 3];
      }
      here[column] = Math.min(cost, IMPOSSIBLE);
      steps[row * width + column] = step;
      least = Math.min(least, cost);
    }
    if (least >= (most + 1) * SLIP) return null;
    costs = here;
  }
  const ends = costs.map((cost, at) => Math.min(IMPOSSIBLE, cost + edgeCost(first + quote.length + at)));
  let column = ends.indexOf(Math.min(...ends));
  const cost = ends[column] ?? IMPOSSIBLE;
  if (cost >= (most + 1) * SLIP) return null;
  const matches = new Int32Array(quote.length).fill(-1);
  const end = first + quote.length + column;
  let row = quote.length;
  while (row > 0) {
    const step = steps[row * width + column];
    if (step === 3) column -= 1;
    else if (step === 2) {
      row -= 1;
      column += 1;
    } else {
      row -= 1;
      matches[row] = first + row + column;
    }
  }
  return { start: first + column, end, cost, matches };
}

const swap = (a: number, b: number) => (isFirm(a) || isFirm(b) ? IMPOSSIBLE : SLIP);
const drop = (code: number) => (isFirm(code) ? IMPOSSIBLE : SLIP);

/** Whether a code is a letter: 1, or is not: 2; 0 until it was asked for. */
const letters = new Uint8Array(0x10000);

/** Digits, and what is neither digit nor letter, are never taken for something else. */
function isFirm(code: number): boolean {
  if (letters[code] === 0) letters[code] = /[\p{L}\p{M}]/u.test(String.fromCharCode(code)) ? 1 : 2;
  return letters[code] === 2;
}
