import type { LanguageCode } from '../analysis/language.js';
import { abbreviationClass, ORDINAL_DOT } from './abbreviations.js';
import { FUNCTION_WORDS } from './function-words.js';
import { MONTHS } from './months.js';

/** No word that matters is longer. */
const LONGEST_WORD = 40;
/** `dell’art` is an article and `art`. */
const ELISION = /^\p{L}{1,6}['’](?=\p{L})/u;
const OPENING = /^[\p{Ps}\p{Pi}"'„¿¡*_]+/u;
/** `1.`, `3.13.`, `(a).`, `iv.`: what stands before an item of a list or a heading. */
const ITEM_NUMBER = /^[([]?(?:\d{1,3}(?:\.\d{1,3}){0,5}|[ivxlc]{1,5}|\p{L})[)\]]?$/iu;
const PARTS = /^(?:[\p{L}\p{M}-]{1,6}\.)+[\p{L}\p{M}-]{1,6}$/u;

/** `USt-IdNr.`, `Best.-Nr.`, `Kundennr.`, `Ref.-No.` */
const COMPOUND_NUMBER = /(?:\p{L}nr|-(?:nr|no|n))$/u;
/** What a number may be that has letters: `RE-2025-1`, `DE811907980`, `K-40913`. */
const CODE = /^\p{Lu}[\p{Lu}\p{N}._/-]*\d/u;

export interface Writing {
  language: LanguageCode;
  /** Sentences begin with capital letters, so that small ones begin none. */
  isCased: boolean;
}

/** As much of a paragraph as tells whether its writer uses capital letters. */
const LOOK = 2000;

/** What there is in small letters alone has sentences too. */
export function writesCapitals(paragraph: string): boolean {
  const look = paragraph.slice(0, LOOK);
  return /\p{Lu}/u.test(look) || (look.match(/[.!?]\s/g)?.length ?? 0) < 2;
}

/** Where a word begins that ends at `end`; not before `from`. */
function wordStart(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && end - at < LONGEST_WORD && !/\s/.test(text[at - 1]!)) at--;
  return at;
}

/** The word before a dot, lower case, with the parts before it when they make one abbreviation: `z. B` is `z.b`. */
function wordBefore(text: string, from: number, dot: number): { word: string; joined: string; isFirst: boolean } {
  let start = wordStart(text, from, dot);
  const word = text.slice(start, dot).replace(OPENING, '').replace(ELISION, '');
  const isFirst = text.slice(Math.max(from, start - LONGEST_WORD), start).trim() === '';
  let joined = word;
  // At most four more parts: `i. d. R.`, `p. ej.`
  for (let parts = 0; parts < 4 && joined.length <= 12; parts++) {
    let end = start;
    while (end > from && start - end < 3 && /\s/.test(text[end - 1]!)) end--;
    const before = wordStart(text, from, end);
    const part = text.slice(before, end).replace(OPENING, '');
    if (end === start || !/^(?:\p{L}{1,2}\.)+$|^et$/iu.test(part)) break;
    joined = part.endsWith('.') ? part + joined : `${part}.${joined}`;
    start = before;
  }
  return { word, joined: joined.toLowerCase(), isFirst };
}

/** The word that follows from `at` on. */
function wordAfter(text: string, at: number, to: number): string {
  const rest = text.slice(at, Math.min(to, at + LONGEST_WORD)).replace(OPENING, '');
  return /^[\p{L}\p{M}\p{N}]+/u.exec(rest)?.[0] ?? rest.slice(0, 1);
}

/**
 * Whether a sentence ends at marks (`.`, `?!`, `…`) that white space and more follow. What follows tells: small letters never
 * begin a sentence; after what may be an abbreviation, an initial or an ordinal number only a word does that sentences
 * begin with.
 * @param from beginning of the paragraph
 * @param marks what stands there, from `at` on
 * @param next where the next word begins
 * @param to end of the paragraph
 */
export function endsSentence(
  text: string,
  [from, to]: readonly [number, number],
  at: number,
  marks: string,
  next: number,
  { language, isCased }: Writing,
): boolean {
  const after = wordAfter(text, next, to);
  if (isCased && /^\p{Ll}/u.test(after)) return false;
  // Dots that lead to a number in a table of contents.
  if (marks.length > 3) return false;
  if (marks.length > 1 || marks !== '.') return !/^(?:\.{2,}|…)$/.test(marks) || /^\p{L}/u.test(after);
  const { word, joined, isFirst } = wordBefore(text, from, at);
  if (isFirst && ITEM_NUMBER.test(word)) return false;
  const begins = FUNCTION_WORDS.has(after.toLowerCase());
  if (/^\p{N}+$/u.test(word)) {
    if (word.length > 2 || !/^\p{L}/u.test(after)) return true;
    return !MONTHS.has(after.toLowerCase()) && (begins || !ORDINAL_DOT.has(language));
  }
  const lower = word.toLowerCase();
  const known =
    abbreviationClass(joined, language) ??
    abbreviationClass(lower, language) ??
    (COMPOUND_NUMBER.test(lower) ? 'numbered' : undefined);
  if (known === 'open') return false;
  if (known === 'numbered' && (/^(?:\p{N}|[IVXLC]+$)/u.test(after) || CODE.test(text.slice(next, to)))) return false;
  // `J. Smith`, `U.S. Senate`; a number that follows begins nothing (`U.S. 500`).
  const isInitial = /^\p{L}\p{M}?$/u.test(word) || PARTS.test(word);
  return begins || !(known === 'closing' || isInitial);
}
