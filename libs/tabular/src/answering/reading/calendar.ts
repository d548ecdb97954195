import { LANGUAGES, type Language, type LanguageCode } from './lexicon/languages.js';
import { normalise, type Word } from './words.js';

/** Words of times in one language. */
export interface Calendar {
  /** From 1. */
  months: ReadonlyMap<string, number>;
  /** As they are shown, from January on. */
  names: readonly string[];
  ordinals: ReadonlyMap<string, number>;
  quarter: ReadonlySet<string>;
  half: ReadonlySet<string>;
  /** Before a number of a year, before a name of a month. */
  year: ReadonlySet<string>;
  month: ReadonlySet<string>;
  /** Between a day, its month and its year. */
  of: readonly (readonly string[])[];
  /** `3/4/2024` is in April. */
  dayFirst: boolean;
}

const MONTHS = [
  'january|jan|يناير|كانون الثاني',
  'february|feb|فبراير|شباط',
  'march|mar|مارس|اذار',
  'april|apr|ابريل|نيسان',
  'may|مايو|ايار',
  'june|jun|يونيو|حزيران',
  'july|jul|يوليو|تموز',
  'august|aug|اغسطس|اب',
  'september|sep|sept|سبتمبر|ايلول',
  'october|oct|اكتوبر|تشرين الاول',
  'november|nov|نوفمبر|تشرين الثاني',
  'december|dec|ديسمبر|كانون الاول',
];
const NONE: ReadonlySet<string> = new Set();
const ENGLISH: Calendar = {
  months: numbered(MONTHS, (name) => [name]),
  names: MONTHS.map((line) => capital(line.split('|')[0]!)),
  ordinals: numbered(
    ['first|1st|الاول|اول', 'second|2nd|الثاني|ثاني', 'third|3rd|الثالث|ثالث', 'fourth|4th|الرابع|رابع'],
    (name) => [name],
  ),
  quarter: new Set(['quarter', 'الربع', 'ربع']),
  half: new Set(['half', 'النصف', 'نصف']),
  year: NONE,
  month: NONE,
  of: [['of'], ['من'], ['من', 'عام'], ['من', 'سنه'], ['لعام'], ['لسنه'], ['عام'], ['سنه']],
  dayFirst: false,
};
const CALENDARS = new Map<LanguageCode, Calendar>(
  Object.entries(LANGUAGES).map(([code, language]) => [code as LanguageCode, calendarIn(language, code === 'de')]),
);

function calendarIn(language: Language, capitals: boolean): Calendar {
  const spellings = (word: string) => [word, language.respell(word)];
  const set = (words: string) => new Set(words.split('|').map(normalise).flatMap(spellings));
  const names = language.months.map((line) => line.split('|')[0]!);
  return {
    months: numbered(language.months, spellings),
    names: capitals ? names.map(capital) : names,
    ordinals: numbered(
      language.ordinals.map((line, at) => `${line}|${at + 1}`),
      spellings,
    ),
    quarter: set(language.quarter),
    half: set(language.half),
    year: set(language.year),
    month: set(language.month),
    of: language.of.split('|').map((phrase) => normalise(phrase).split(' ')),
    dayFirst: true,
  };
}

function numbered(lines: readonly string[], spellings: (name: string) => string[]): Map<string, number> {
  return new Map(
    lines.flatMap((line, at) =>
      line.split('|').flatMap((name) => spellings(normalise(name)).map((word) => [word, at + 1] as const)),
    ),
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function calendarOf({ language }: Word): Calendar {
  return CALENDARS.get(language) ?? ENGLISH;
}

/** How many words such as "of" stand there. */
export function skipped(words: readonly Word[], at: number, { of }: Calendar): number {
  const stands = (phrase: readonly string[]) =>
    phrase.every((part, next) => words[at + next]?.quoted === false && words[at + next]!.plain === part);
  return Math.max(0, ...of.filter(stands).map(({ length }) => length));
}
