import { calendarOf } from './calendar.js';
import type { LanguageCode } from './lexicon/languages.js';
import { yearPeriod, type Period } from './times.js';
import { normalise, type Word } from './words.js';

type Relative = 'today' | 'yesterday' | `${'this' | 'last'} ${'month' | 'quarter' | 'year'}`;

/** Whole months, quarters and years of the calendar; no weeks, which begin on different days. */
const PHRASES: Partial<Record<LanguageCode, Record<Relative, string>>> = {
  en: {
    today: 'today',
    yesterday: 'yesterday',
    'this month': 'this month|the current month|current month',
    'last month': 'last month|the previous month|previous month',
    'this quarter': 'this quarter|the current quarter|current quarter',
    'last quarter': 'last quarter|the previous quarter|previous quarter',
    'this year': 'this year|the current year|current year',
    'last year': 'last year|the previous year|previous year',
  },
  de: {
    today: 'heute',
    yesterday: 'gestern',
    'this month': 'diesen monat|diesem monat|dieser monat|dieses monats|aktuellen monat',
    'last month': 'letzten monat|letzter monat|letzten monats|vorigen monat|vergangenen monat|vormonat',
    'this quarter': 'dieses quartal|diesem quartal|aktuellen quartal',
    'last quarter': 'letztes quartal|letzten quartal|voriges quartal|vergangenen quartal|vorquartal',
    'this year': 'dieses jahr|diesem jahr|dieses jahres|aktuellen jahr',
    'last year': 'letztes jahr|letzten jahr|letzten jahres|voriges jahr|vergangenes jahr|vergangenen jahr|vorjahr',
  },
  fr: {
    today: "aujourd'hui",
    yesterday: 'hier',
    'this month': 'ce mois|ce mois ci',
    'last month': 'le mois dernier|mois dernier|le mois passé',
    'this quarter': 'ce trimestre',
    'last quarter': 'le trimestre dernier|trimestre dernier',
    'this year': 'cette année',
    'last year': "l'année dernière|l' année dernière|année dernière|l'an dernier|l' an dernier",
  },
  es: {
    today: 'hoy',
    yesterday: 'ayer',
    'this month': 'este mes',
    'last month': 'el mes pasado|mes pasado',
    'this quarter': 'este trimestre',
    'last quarter': 'el trimestre pasado|trimestre pasado',
    'this year': 'este año',
    'last year': 'el año pasado|año pasado',
  },
  ar: {
    today: 'هذا اليوم',
    yesterday: 'امس|أمس',
    'this month': 'هذا الشهر|الشهر الحالي',
    'last month': 'الشهر الماضي|الشهر السابق',
    'this quarter': 'هذا الربع',
    'last quarter': 'الربع الماضي',
    'this year': 'هذه السنة|هذا العام|السنة الحالية|العام الحالي',
    'last year': 'السنة الماضية|العام الماضي|السنة السابقة|العام السابق',
  },
};

const BY_PHRASE = new Map<LanguageCode, Map<string, Relative>>(
  Object.entries(PHRASES).map(([code, phrases]) => [
    code as LanguageCode,
    new Map(
      Object.entries(phrases).flatMap(([relative, texts]) =>
        texts.split('|').map((text) => [normalise(text), relative as Relative] as const),
      ),
    ),
  ]),
);
const LONGEST = 3;

/** What stands there that is told from today: "last month". Arabic is read with English. */
export function relativeAt(words: readonly Word[], at: number): { relative: Relative; length: number } | null {
  const code = words[at]?.language ?? 'en';
  const own = [BY_PHRASE.get(code), ...(code === 'en' ? [BY_PHRASE.get('ar')] : [])];
  for (let length = Math.min(LONGEST, words.length - at); length > 0; length--) {
    const stretch = words.slice(at, at + length);
    if (stretch.some(({ quoted }) => quoted)) continue;
    const text = stretch.map(({ plain }) => plain).join(' ');
    const relative = own.map((phrases) => phrases?.get(text)).find((found) => found !== undefined);
    if (relative !== undefined) return { relative, length };
  }
  return null;
}

const DAY_MS = 86_400_000;
const iso = (date: Date) => date.toISOString().slice(0, 10);

/** The days that are meant. @param today ISO date */
export function periodOf(relative: Relative, today: string, word: Word): Period {
  const [year = 0, month = 0] = today.split('-').map(Number);
  const start = Date.parse(`${today}T00:00:00Z`);
  const dayAt = (back: number): Period => {
    const from = iso(new Date(start - back * DAY_MS));
    return { from, before: iso(new Date(start - (back - 1) * DAY_MS)), label: from };
  };
  const months = (first: number, count: number) => {
    const from = new Date(Date.UTC(year, first, 1));
    return { from: iso(from), before: iso(new Date(Date.UTC(year, first + count, 1))), at: from };
  };
  const monthAt = (back: number): Period => {
    const { from, before, at } = months(month - 1 - back, 1);
    return { from, before, label: `${calendarOf(word).names[at.getUTCMonth()]} ${at.getUTCFullYear()}` };
  };
  const quarterAt = (back: number): Period => {
    const { from, before, at } = months((Math.ceil(month / 3) - 1 - back) * 3, 3);
    return { from, before, label: `Q${at.getUTCMonth() / 3 + 1} ${at.getUTCFullYear()}` };
  };
  switch (relative) {
    case 'today':
      return dayAt(0);
    case 'yesterday':
      return dayAt(1);
    case 'this month':
      return monthAt(0);
    case 'last month':
      return monthAt(1);
    case 'this quarter':
      return quarterAt(0);
    case 'last quarter':
      return quarterAt(1);
    case 'this year':
      return yearPeriod(year);
    case 'last year':
      return yearPeriod(year - 1);
  }
}
