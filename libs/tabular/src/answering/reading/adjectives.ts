import type { AskedColumn } from '../asked-table.js';
import type { Comparison } from './lexicon.js';
import { LANGUAGES, type LanguageCode } from './lexicon/languages.js';
import { addsUp } from './measures.js';
import { isNumeric, isTime, labelOf } from './reading.js';
import { nameWords, normalise, sameWord } from './words.js';

/** "Hottest", "older than": a direction in the one sort of column that the word is said of. */
export interface Adjective {
  /** `plain`: "how old". */
  form: 'superlative' | 'comparative' | 'plain';
  direction: 'asc' | 'desc';
  op: Comparison;
  /** Of all rows of a thing together: "best-selling". */
  sums?: true;
  /** Those that it can be said of, most likely alone. */
  columns: AskedColumn[];
}

/** Words of a column's name | adjectives that say more of it | and less of it. Dates: see `DATED`. */
const SORTS: [names: string, more: string, less: string][] = [
  ['temperature temp حراره', 'hot warm احر ادفا', 'cold cool chilly ابرد'],
  ['age عمر العمر', 'old اكبر*سنا', 'young اصغر*سنا'],
  ['price cost fee fare rent سعر السعر تكلفه', 'expensive costly dear pricey اغلي', 'cheap ارخص'],
  ['length duration runtime distance minutes طول مده', 'long اطول', 'short اقصر'],
  ['height elevation altitude ارتفاع', 'tall', ''],
  ['height', '', 'short'],
  ['weight mass وزن', 'heavy اثقل', 'light اخف'],
  ['speed velocity سرعه', 'fast quick اسرع', 'slow ابطا'],
  ['income gdp wealth salary دخل راتب', 'rich wealthy اغني', 'poor افقر'],
  ['deaths death fatalities casualties وفيات', 'deadly lethal', ''],
  ['precipitation rainfall rain امطار', 'wet rainy', 'dry'],
  ['wind', 'windy', 'calm'],
  ['population سكان', 'populous', ''],
  ['magnitude', 'strong powerful', 'weak'],
  ['depth عمق', 'deep', 'shallow'],
  ['rating', 'highly*rated', ''],
];

/** Said of coordinates in one word. */
const ENDS: [names: string, most: string, least: string][] = [
  ['latitude lat', 'northernmost', 'southernmost'],
  ['longitude lon lng long', 'easternmost', 'westernmost'],
  ['rating score stars', 'best', 'worst'],
  ['rating score stars', 'best*rated', 'worst*rated'],
  ['rating score stars', 'highest*rated', 'lowest*rated'],
];

const SOLD = {
  best: 'sold*best sells*best sell*best best*seller best*sellers bestseller bestsellers top*seller top*sellers الاكثر*مبيعا اكثر*مبيعا الافضل*مبيعا',
  worst: 'sold*worst sells*worst sell*worst worst*seller worst*sellers الاقل*مبيعا اقل*مبيعا',
};

/** Of pieces where they are counted, else of money; said of what all rows of a thing come to. */
const SELLING: readonly [names: string, most: string, least: string][] = [
  [
    'quantity qty units menge stuck stuckzahl كميه الكميه',
    `best*selling top*selling most*sold ${SOLD.best}`,
    `worst*selling least*sold ${SOLD.worst}`,
  ],
  [
    'revenue sales turnover umsatz erlos',
    `best*selling top*selling most*sold ${SOLD.best}`,
    `worst*selling least*sold ${SOLD.worst}`,
  ],
];

/** Of dates that a thing has for good: what is older was born, built or founded earlier. */
const DATED: [names: string, early: string, late: string][] = [
  ['birth born birthday birthdate dob ميلاد', 'old اكبر*سنا', 'young اصغر*سنا'],
  ['built founded established opened construction', 'old', 'new'],
];

interface Entry {
  names: string[];
  direction: 'asc' | 'desc';
  form: Adjective['form'];
  dates: boolean;
  sums?: true;
}

/** By the phrase, as it is asked: "oldest", "most expensive", "older than". */
const PHRASES: ReadonlyMap<string, readonly Entry[]> = (() => {
  const found = new Map<string, Entry[]>();
  const put = (phrase: string, entry: Entry) => {
    const key = normalise(phrase.replaceAll('*', ' '));
    found.set(key, [...(found.get(key) ?? []), entry]);
  };
  const lines = [
    ...SORTS.flatMap(([names, more, less]) => [
      { names, said: more, direction: 'desc' as const, opposite: 'asc' as const, dates: false },
      { names, said: less, direction: 'asc' as const, opposite: 'desc' as const, dates: false },
    ]),
    ...DATED.flatMap(([names, early, late]) => [
      { names, said: early, direction: 'asc' as const, opposite: 'desc' as const, dates: true },
      { names, said: late, direction: 'desc' as const, opposite: 'asc' as const, dates: true },
    ]),
  ];
  for (const { names, said, direction, opposite, dates } of lines)
    for (const word of said.split(' ').filter(Boolean)) {
      const entry = { names: names.split(' '), direction, dates };
      if (/\p{Script=Arabic}/u.test(word)) {
        put(word, { ...entry, form: 'superlative' });
        put(`ال${word}`, { ...entry, form: 'superlative' });
        if (!dates) put(`${word}*من`, { ...entry, form: 'comparative' });
        continue;
      }
      for (const est of superlatives(word)) put(est, { ...entry, form: 'superlative' });
      put(`least ${word}`, { ...entry, direction: opposite, form: 'superlative' });
      if (dates) continue;
      put(`how ${word}`, { ...entry, form: 'plain' });
      for (const er of comparatives(word)) put(`${er} than`, { ...entry, form: 'comparative' });
      put(`less ${word} than`, { ...entry, direction: opposite, form: 'comparative' });
    }
  for (const [names, most, least] of ENDS) {
    put(most, { names: names.split(' '), direction: 'desc', form: 'superlative', dates: false });
    put(least, { names: names.split(' '), direction: 'asc', form: 'superlative', dates: false });
  }
  for (const [names, most, least] of SELLING)
    for (const [said, direction] of [[most, 'desc'] as const, [least, 'asc'] as const])
      for (const phrase of said.split(' '))
        put(phrase, { names: names.split(' '), direction, form: 'superlative', dates: false, sums: true });
  return found;
})();

const LONGEST = 4;

/** Those of other languages. */
const OTHERS = new Map<LanguageCode, ReadonlyMap<string, readonly Entry[]>>(
  Object.entries(LANGUAGES).map(([code, { adjectives, respell }]) => {
    const found = new Map<string, Entry[]>();
    const put = (phrases: string, entry: Entry) => {
      for (const phrase of new Set(phrases.split('|').flatMap((one) => [one, respell(one)])))
        if (phrase !== '') found.set(phrase, [...(found.get(phrase) ?? []), entry]);
    };
    for (const { names, most, more, least, less, how = '', sums } of adjectives) {
      const entry = { names: names.split(' '), dates: false, ...(sums && { sums }) };
      put(most, { ...entry, direction: 'desc', form: 'superlative' });
      put(more, { ...entry, direction: 'desc', form: 'comparative' });
      put(least, { ...entry, direction: 'asc', form: 'superlative' });
      put(less, { ...entry, direction: 'asc', form: 'comparative' });
      put(how, { ...entry, direction: 'desc', form: 'plain' });
    }
    return [code as LanguageCode, found];
  }),
);

/** The longest adjective that stands there and that a column of the table can have; null when there is none. */
export function adjectiveAt(
  plain: readonly string[],
  columns: readonly AskedColumn[],
  language: LanguageCode,
): { adjective: Adjective; length: number } | null {
  for (let length = Math.min(LONGEST, plain.length); length > 0; length--) {
    const entries = (OTHERS.get(language) ?? PHRASES).get(plain.slice(0, length).join(' ')) ?? [];
    for (const { names, direction, form, dates, sums } of entries) {
      const own = columns.filter(
        (column) =>
          (dates ? isTime(column) : isNumeric(column)) && hasWord(column, names) && (sums !== true || addsUp(column)),
      );
      if (own.length === 0) continue;
      const op = direction === 'desc' ? '>' : '<';
      return { adjective: { form, direction, op, columns: nearest(own, direction), ...(sums && { sums }) }, length };
    }
  }
  return null;
}

/** The hottest day is the one of the highest maximum, the most expensive thing that of the highest total. */
function nearest(columns: AskedColumn[], direction: 'asc' | 'desc'): AskedColumn[] {
  const wanted = direction === 'desc' ? ['max', 'maximum', 'highest', 'high'] : ['min', 'minimum', 'lowest', 'low'];
  for (const names of [wanted, ['total']]) {
    const own = columns.filter((column) => hasWord(column, names));
    if (own.length === 1) return own;
  }
  return columns;
}

function hasWord(column: AskedColumn, names: readonly string[]): boolean {
  const parts = [...nameWords(labelOf(column)), ...nameWords(column.name)];
  return parts.some((part) => names.some((name) => sameWord(part, name)));
}

function superlatives(word: string): string[] {
  return [`${stem(word)}est`, `most ${word}`, ...(word === 'old' ? ['eldest'] : [])];
}

function comparatives(word: string): string[] {
  return [`${stem(word)}er`, `more ${word}`, ...(word === 'old' ? ['elder'] : [])];
}

/** `hot`: `hott-est`; `rainy`: `raini-est`; `large`: `larg-est`. */
function stem(word: string): string {
  if (word.endsWith('e')) return word.slice(0, -1);
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}i`;
  return /^[^aeiou]*[aeiou][tdgnp]$/.test(word) ? word + word.at(-1)! : word;
}
