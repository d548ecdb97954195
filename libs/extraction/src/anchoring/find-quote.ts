import type { AnchorClass } from '../cells/cell-evidence.js';
import { findApproximately } from './approximate.js';
import { isOfWord } from './character-classes.js';
import { type FoldedText, foldText } from './folded-text.js';
import { findOccurrences, groupsAround, type Occurrence } from './occurrences.js';
import type { Reading, SearchedDocument } from './searched-document.js';
import type { QuotedWord } from './slips.js';
import { countsNotes, crossesGutter, takenWords, type TakenWords } from './taken-words.js';

/** UTF-16 code units; longer ones are copies of a document, not quotes. */
const LONGEST = 20_000;
/** Of a number, in heights of a line. */
const WIDEST_BLANK = 0.45;
/** Words that are looked at to tell whether a place is shown twice. */
const MOST_COMPARED = 64;
const BRACKETED_NUMBER = /^\(\s*[^()]*\d[^()]*\)$/u;

export interface Hit extends Occurrence {
  folded: FoldedText;
}

export interface Found {
  anchor: Extract<AnchorClass, 'normalised' | 'fuzzy' | 'none'>;
  /** In the order of the document. */
  hits: Hit[];
}

/** All places of a quote. */
export function findQuote(document: SearchedDocument, quote: string): Found {
  if (quote.length > LONGEST) return { anchor: 'none', hits: [] };
  const folded = foldText(quote);
  if (!folded.codes.some(isOfWord)) return { anchor: 'none', hits: [] };
  for (const reading of readingsOf(document)) {
    const hits = inDocument(
      document,
      reading,
      findOccurrences(reading.folded, document.text, folded.codes, reading.seeds),
    );
    const fitting = BRACKETED_NUMBER.test(quote.trim()) ? hits.filter((hit) => isBracketed(document, hit)) : hits;
    if (fitting.length > 0) return { anchor: 'normalised', hits: fitting };
  }
  const approximate = { codes: folded.codes, words: wordsOf(quote, folded) };
  for (const reading of readingsOf(document)) {
    const { codes, from } = reading.folded;
    const isRecognised = (code: number) =>
      codes.length > 0 && document.pages[document.pageAt(from[code] ?? 0)]?.ocr === true;
    const places = findApproximately(reading.folded, document.text, reading.seeds, approximate, isRecognised);
    const hits = inDocument(document, reading, places);
    if (hits.length > 0) return { anchor: 'fuzzy', hits };
  }
  return { anchor: 'none', hits: [] };
}

/** The others are made when they are asked for. */
function* readingsOf(document: SearchedDocument): Generator<Reading> {
  yield document.plain;
  yield* document.reordered;
}

function inDocument(document: SearchedDocument, { folded }: Reading, places: readonly Occurrence[]): Hit[] {
  const hits: Hit[] = [];
  let shown: TakenWords[] = [];
  for (const place of places) {
    const head = { start: place.start, end: Math.min(place.end, place.start + MOST_COMPARED * 8) };
    const taken = takenWords(document, folded, head);
    if (groupsAround(folded, place).some(([a, b]) => isOneNumber(document, folded.from[a] ?? 0, folded.from[b] ?? 0)))
      continue;
    if (
      countsNotes(document, taken) ||
      crossesGutter(document, taken) ||
      (hits.length > 0 && isOverprint(shown, taken))
    )
      continue;
    shown = taken;
    hits.push({ ...place, folded });
  }
  return hits;
}

/** Two groups of digits with a single blank between them that is no wider than those between words. */
function isOneNumber(document: SearchedDocument, before: number, after: number): boolean {
  if (document.text.slice(before + 1, after) !== ' ') return false;
  const [a, b] = [document.wordOf(before), document.wordOf(after)];
  if (a === null || b === null) return true;
  const { width = 1, height = 1 } = document.pages[a.page] ?? {};
  const [left, right] = [a.word.rect, b.word.rect];
  return (right[0] - left[2]) * width < WIDEST_BLANK * (left[3] - left[1]) * height;
}

/** The same words in the same place: printed twice to look bold. */
function isOverprint(before: readonly TakenWords[], here: readonly TakenWords[]): boolean {
  const [a, b] = [before[0], here[0]];
  if (!a || !b || a.page !== b.page || a.words[0]?.at === b.words[0]?.at) return false;
  const [first, second] = [a.words[0]?.word.rect, b.words[0]?.word.rect];
  if (!first || !second) return false;
  const width = Math.min(first[2], second[2]) - Math.max(first[0], second[0]);
  const height = Math.min(first[3], second[3]) - Math.max(first[1], second[1]);
  const smaller = Math.min(
    (first[2] - first[0]) * (first[3] - first[1]),
    (second[2] - second[0]) * (second[3] - second[1]),
  );
  return width > 0 && height > 0 && width * height > 0.7 * smaller;
}

/** Brackets around a number are its sign. */
function isBracketed({ text }: SearchedDocument, { folded, start }: Hit): boolean {
  const first = folded.from[start] ?? 0;
  return /\(\s*$/u.test(text.slice(Math.max(0, first - 4), first));
}

/** Words of a quote, as runs of codes. */
function wordsOf(quote: string, { codes, from }: FoldedText): QuotedWord[] {
  const words: QuotedWord[] = [];
  let start = 0;
  for (let at = 1; at <= codes.length; at += 1) {
    const [before, here] = [from[at - 1] ?? 0, from[at]];
    const parted = here === undefined || /[^\p{L}\p{M}\p{N}\p{Cf}]/u.test(quote.slice(before + 1, here));
    if (!parted) continue;
    words.push({ text: quote.slice(from[start] ?? 0, before + 1), start, end: at });
    start = at;
  }
  return words;
}
