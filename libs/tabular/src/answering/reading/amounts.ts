import { languageNamed, type Language } from './lexicon/languages.js';
import type { Word } from './words.js';

/** A number as a question writes it. */
export interface Amount {
  number: number;
  /** `%`, or a currency by its code of three letters; null when it is bare. */
  unit: string | null;
  /** As written. */
  text: string;
}

const TIMES = new Map(
  Object.entries({
    k: 1e3,
    hundred: 100,
    thousand: 1e3,
    مئه: 100,
    مائه: 100,
    m: 1e6,
    mn: 1e6,
    million: 1e6,
    millions: 1e6,
    bn: 1e9,
    billion: 1e9,
    الف: 1e3,
    مليون: 1e6,
    مليار: 1e9,
  }),
);
const UNITS = new Map(
  Object.entries({
    '%': '%',
    '٪': '%',
    percent: '%',
    بالمئه: '%',
    بالمائه: '%',
    $: 'USD',
    usd: 'USD',
    dollar: 'USD',
    dollars: 'USD',
    us$: 'USD',
    دولار: 'USD',
    '€': 'EUR',
    eur: 'EUR',
    euro: 'EUR',
    euros: 'EUR',
    يورو: 'EUR',
    '£': 'GBP',
    gbp: 'GBP',
    pounds: 'GBP',
    jod: 'JOD',
    دينار: 'JOD',
    sar: 'SAR',
    ريال: 'SAR',
    aed: 'AED',
    درهم: 'AED',
    degrees: 'degrees',
    degree: 'degrees',
    '°': 'degrees',
    درجه: 'degrees',
  }),
);
const NUMBERS = new Map(
  Object.entries({
    zero: 0,
    صفر: 0,
    eleven: 11,
    twelve: 12,
    thirteen: 13,
    fourteen: 14,
    fifteen: 15,
    sixteen: 16,
    seventeen: 17,
    eighteen: 18,
    nineteen: 19,
    twenty: 20,
    thirty: 30,
    forty: 40,
    fifty: 50,
    sixty: 60,
    seventy: 70,
    eighty: 80,
    ninety: 90,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    اثنين: 2,
    ثلاثه: 3,
    اربعه: 4,
    خمسه: 5,
    سته: 6,
    سبعه: 7,
    ثمانيه: 8,
    تسعه: 9,
    عشره: 10,
    عشرين: 20,
    ثلاث: 3,
    اربع: 4,
    خمس: 5,
    ست: 6,
    سبع: 7,
    ثماني: 8,
    تسع: 9,
    عشر: 10,
  }),
);

/** `%`, or a code: `$`, `US$`, `dollars` and `USD` are one. Null for what names no unit known here. */
export function toUnit(text: string, language: Language | null = null): string | null {
  const key = text.trim().toLowerCase();
  return (language && own(language.units, key)) ?? UNITS.get(key) ?? null;
}

function own(table: Readonly<Record<string, number>>, key: string): number | null;
function own(table: Readonly<Record<string, string>>, key: string): string | null;
function own<T>(table: Readonly<Record<string, T>>, key: string): T | null {
  return Object.hasOwn(table, key) ? table[key]! : null;
}

/**
 * Reads `1,200.5`, `$1,000`, `10 %`, `1.5k`, `2 million`, `50 euros`, `three`.
 * @param units that columns of the table count in, by their texts in lower case: `50 kg`
 */
export function amountAt(
  words: readonly Word[],
  at: number,
  units: ReadonlySet<string>,
): { amount: Amount; length: number } | null {
  const first = words[at]!;
  if (first.quoted) return null;
  const language = languageNamed(first.language);
  const word = language ? own(language.numbers, first.plain) : (NUMBERS.get(first.plain) ?? null);
  const parts = /^([-−]?)([$€£¥]?)(-?[\d.,]+)(\p{L}+|[%٪])?$/u.exec(first.plain);
  const written = parts && joined(words, at, parts[1]!.replace('−', '-') + parts[3]!, language);
  const number = word ?? (written && toNumber(written.text, language));
  if (number === null) return null;
  let length = written?.length ?? 1;
  let unit = !parts || parts[2] === '' ? null : (toUnit(parts[2]!) ?? parts[2]!);
  let times = 1;
  let attached = parts?.[4];
  for (let open = true; open;) {
    const next = attached ?? (words[at + length]?.quoted === false ? words[at + length]!.plain : '');
    const factor = (language ? own(language.factors, next) : null) ?? TIMES.get(next);
    if (times === 1 && factor !== undefined && (attached !== undefined || next.length > 1)) times = factor;
    else if (times === 100 && factor !== undefined && factor > times && attached === undefined) times *= factor;
    else if (unit === null && toUnit(next, language) !== null) unit = toUnit(next, language);
    else if (unit === null && units.has(next)) unit = next;
    else if (attached !== undefined) return null;
    else open = false;
    if (open && attached === undefined) length++;
    attached = undefined;
  }
  const text = words
    .slice(at, at + length)
    .map((word) => word.text)
    .join(' ');
  // 1.1 * 1000 is 1100.0000000000002 to a computer.
  return { amount: { number: Number((number * times).toPrecision(15)), unit, text }, length };
}

/** `1 200` in the languages that part thousands by a space. */
function joined(
  words: readonly Word[],
  at: number,
  first: string,
  language: Language | null,
): { text: string; length: number } {
  let text = first;
  let length = 1;
  if (language === null || !/^-?\d{1,3}$/.test(first)) return { text, length };
  while (isGroup(words, at + length)) text += words[at + length++]!.plain;
  return { text, length };
}

function isGroup(words: readonly Word[], at: number): boolean {
  const word = words[at];
  return word?.quoted === false && /^\d{3}(?:,\d+)?$/.test(word.plain) && word.start === words[at - 1]!.end + 1;
}

/**
 * `1,200.5` and `1200.5`, or `1.200,5` and `1200,5` in a language that writes them so; null for anything else, and for what
 * may be either: `1,200` in German.
 */
export function toNumber(text: string, language: Language | null = null): number | null {
  if (language) {
    if (!/^-?0,\d+$/.test(text) && !/^-?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,(?:\d{1,2}|\d{4,}))?$/.test(text)) return null;
    return Number(text.replaceAll('.', '').replace(',', '.'));
  }
  // One or two digits behind a comma are no group of thousands: people keep the decimal comma of their language.
  if (isDecimalComma(text)) return Number(text.replace(',', '.'));
  if (!/^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/.test(text)) return null;
  return Number(text.replaceAll(',', ''));
}

/** `12,9` where commas part thousands otherwise; `5,10` may also be two numbers. */
export function isDecimalComma(text: string): boolean {
  return /^-?\d+,\d{1,2}$/.test(text);
}
