import { fold } from '@app/common';
import { isCompounding } from '../analysis/compounds.js';
import { contentWordsOf, isUnspaced, SPACED_LETTER, UNSPACED_LETTER } from '../analysis/unspaced.js';
import { isAskingWord, isLight, type QuestionLanguage } from './asking-words.js';
import type { Reading } from './reading.js';
import { MONTHS } from '../text/months.js';
import { areRelated, hasRelatives } from './related-words.js';

/** One word, code or number that a question is about. */
export interface QuestionTerm {
  /** As it was written. */
  word: string;
  /** What a reading makes of it; all of them are wanted. */
  terms: string[];
  /** A proper name, a code or a year: an answer about another one answers another question. */
  isName: boolean;
  isYear: boolean;
  /** The next word of the same name: `Robotics` in `Kestrel Robotics`. */
  goesOn: boolean;
  isLight: boolean;
  /** What is asked about first, as the price in `What is the price of …`. */
  isFocus: boolean;
  /** From an earlier question that this one leans on. */
  isBefore: boolean;
}

/** A pasted page is no question: of a long one the first words are taken. */
const MOST_TERMS = 40;
const TOKEN = new RegExp(`${UNSPACED_LETTER}+|${SPACED_LETTER}+(?:['’._\\-\\/@:]${SPACED_LETTER}+)*`, 'gv');
const YEAR = /^(?:1[5-9]|20)\d\d(?:[/-]\d{2,4})?$/;
/** Written large, and no names. */
const ABBREVIATIONS = new Set(
  'it hr ai pdf faq nda vat tv icu usb api url ok id r&d kpi roi sla ip vpn pin atm gps'.split(' '),
);
const CALENDAR =
  /^(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)s?$/;
/** All their nouns are written large, and only they. */
const CAPITALISING: readonly QuestionLanguage[] = ['de'];
/** What stands behind these is a name, where capitals do not tell. */
const NAMED_AFTER =
  /^(?:firma|stadt|gemeinde|straße|strasse|strase|شركه|بنك|جامعه|بلديه|حي|مكتبه|مدينه|مستشفي|مدرسه|مصرف|وزاره|موسسه)$/u;

/** The terms of a question; of several lines the last is what is asked now. */
export function questionTerms(question: string, reading: Reading): QuestionTerm[] {
  const lines = question
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '');
  const found = new Map<string, Omit<QuestionTerm, 'isFocus'>>();
  for (const [at, line] of lines.toReversed().entries())
    for (const term of termsOfLine(line, at > 0, reading)) {
      const key = term.terms.join(' ');
      if (!found.has(key) && found.size < MOST_TERMS) found.set(key, term);
    }
  const terms = [...found.values()];
  const focus = terms.find((term) => !term.isName && !term.isLight && !term.isBefore);
  return terms.map((term) => ({ ...term, isFocus: term === focus }));
}

/** A number or a letter behind a word, which it tells from others of its kind: nothing is counted or measured by it. */
function isNumberOf(line: string, nounEnd: number, { 0: token, index }: RegExpExecArray, reading: Reading): boolean {
  if (!/^(?:\d{1,6}|\p{Lu})$/u.test(token) || !/^\s$/.test(line.slice(nounEnd, index))) return false;
  const next = /^\s*([\p{L}\p{M}]+|[^\s.?!,;:)]|$)?/u.exec(line.slice(index + token.length))?.[1] ?? '';
  return next === '' || reading.isStopWord(next) || isAskingWord(fold(next), reading.language);
}

function termsOfLine(line: string, isBefore: boolean, reading: Reading): Omit<QuestionTerm, 'isFocus'>[] {
  const { language } = reading;
  let last = '';
  let nameEnd = -1;
  /** Where a word ends that says something, and may be numbered. */
  let nounEnd = -1;
  const quoted = [...line.matchAll(/["“«„]([^"“”«»„]{2,80})["”»“]/gu)].map(([, inside]) => inside!);
  return [...line.matchAll(TOKEN)].flatMap((match) => {
    const [token] = match;
    const isFirst =
      !/[\p{L}\p{N}]/u.test(line.slice(0, match.index)) || /[.!?:؟]\s*["“«„¿¡(]*$/u.test(line.slice(0, match.index));
    const isCode = /\d/.test(fold(token));
    const parts = isCode ? [token] : isUnspaced(token) ? contentWordsOf(token) : token.split(/['’._\-/@:]/);
    return parts.flatMap((word): Omit<QuestionTerm, 'isFocus'>[] => {
      const folded = fold(word);
      const isNamed = NAMED_AFTER.test(last);
      last = folded;
      // `unit 301`, `Typ B`: another one of its kind is another thing.
      const isNumbered = nounEnd >= 0 && isNumberOf(line, nounEnd, match, reading);
      nounEnd = -1;
      const isLetter = folded.length < 2 && !isCode;
      if (isAskingWord(folded, language) || (isLetter && !isNumbered) || (!isLetter && reading.isStopWord(word)))
        return [];
      const terms = [...new Set(reading.analyse(word))];
      if (terms.length === 0) return [];
      const isYear = YEAR.test(folded);
      const isAcronym =
        /^\p{Lu}[\p{Lu}\d&]+s?$/u.test(word) && !ABBREVIATIONS.has(folded) && !hasRelatives(terms[0]!, reading);
      const isCapital =
        /^\p{Lu}(?!\p{Lu}+$)/u.test(word) && !isFirst && !CAPITALISING.includes(language) && !CALENDAR.test(folded);
      const isName =
        isYear ||
        isAcronym ||
        isCapital ||
        isNamed ||
        isNumbered ||
        (isCode && /\p{L}/u.test(token)) ||
        quoted.some((text) => text.includes(word));
      const goesOn = isName && nameEnd >= 0 && /^\s{1,3}$/.test(line.slice(nameEnd, match.index));
      if (isName && !isYear) nameEnd = match.index + token.length;
      if (!isCode && !isLight(folded) && !MONTHS.has(folded)) nounEnd = match.index + token.length;
      return [
        {
          word,
          terms: isCode ? terms.slice(0, 1) : terms,
          isName,
          isYear,
          goesOn,
          isLight: isLight(folded) || (CAPITALISING.includes(language) && /^\p{Ll}/u.test(word)),
          isBefore,
        },
      ];
    });
  });
}

/** What a compound ends with that says only what kind of answer is wanted: `Ruhezeiten`, `Mietkosten`, `openingstijden`. */
const KIND_TAILS: Partial<Record<QuestionLanguage, RegExp>> = {
  de: /(?:s|es|n|en)?(?:zeit|kost|preis|gebuhr|nummer|datum|termin|betrag|dauer|hoh|gross|zahl|name)(?:en|e|n|r)?$/,
  nl: /(?:s|e|en)?(?:tijd|kost|prijs|tarief|nummer|datum|bedrag|duur)(?:en)?$/,
};
const SHORTEST_HEAD = 3;
/** More letters than an ending has: they begin another part of a compound. */
const LONGEST_ENDING = 3;
/** A compound that begins with a word is another thing, and may be about it. */
const OTHER_HEAD = 0.5;

/** Of a compound that asks for a time, price or number of something, that something: `ruhe` of `Ruhezeiten`. */
export function askedHead(term: string, { language }: Reading): string | null {
  const tail = KIND_TAILS[language]?.exec(term.slice(-24));
  const head = tail ? term.slice(0, term.length - tail[0].length) : '';
  return head.length >= SHORTEST_HEAD ? head : null;
}

/** Whether what is asked for is a time, price or number of what a term says. */
function asksForKindOf(asked: string, term: string, reading: Reading): boolean {
  const head = askedHead(asked, reading);
  if (head === null || term.length < SHORTEST_HEAD) return false;
  return head === term || (head.length - term.length <= 1 && head.startsWith(term));
}

/** How much a term of a text is one of a question: 1 the same, less for a relative, 0 for another. */
export function likeness(asked: string, term: string, reading: Reading): number {
  if (asked === term) return 1;
  if (/\d/.test(asked) || /\d/.test(term))
    return asked.replace(/[^\p{L}\p{N}]/gu, '') === term.replace(/[^\p{L}\p{N}]/gu, '') ? 1 : 0;
  if (areRelated(asked, term, reading)) return 0.75;
  if (asksForKindOf(asked, term, reading)) return 0.7;
  const [short, long] = asked.length < term.length ? [asked, term] : [term, asked];
  if (short.length < 4) return 0;
  if (isCompounding(reading.other ?? reading.language) && long.length - short.length >= SHORTEST_HEAD) {
    // A `Grundmiete` is a `Miete`, and a `Mietkaution` is none.
    if (term.endsWith(asked)) return 0.8;
    if (term.startsWith(asked) && long.length - short.length > LONGEST_ENDING)
      return short.length >= 5 ? OTHER_HEAD : 0;
  }
  // Parts of compounds, and endings that no stemmer took off.
  if (short.length >= 5 && (long.endsWith(short) || long.startsWith(short))) return 0.8;
  let shared = 0;
  while (shared < short.length && short[shared] === long[shared]) shared++;
  if (shared >= 5 && shared >= 0.7 * long.length) return 0.8;
  if (shared >= 4 && shared >= short.length - 2 && long.length - shared <= 2) return 0.7;
  return 0;
}

/** Whether one is the other with a letter wrong, missing, doubled or swapped; another digit makes another code: `VX-400` is no `VX-200`. */
export function isTypo(asked: string, term: string): boolean {
  if (/\d/.test(asked) || /\d/.test(term)) return false;
  if (asked.length < 6 || Math.abs(asked.length - term.length) > 1 || asked[0] !== term[0]) return false;
  let front = 0;
  while (front < asked.length && asked[front] === term[front]) front++;
  let [left, right] = [asked.length, term.length];
  while (left > front && right > front && asked[left - 1] === term[right - 1]) [left, right] = [left - 1, right - 1];
  const [inAsked, inTerm] = [asked.slice(front, left), term.slice(front, right)];
  const isSwap = inAsked.length === 2 && inAsked === [...inTerm].toReversed().join('');
  return isSwap || (inAsked.length <= 1 && inTerm.length <= 1);
}
