import type { Aggregate, Comparison, DateUnit, Meaning } from '../lexicon.js';

export const LANGUAGE_CODES = ['en', 'ar', 'de', 'fr', 'es', 'it', 'pt', 'nl'] as const;
/** English questions may have Arabic words in them and the other way round: both are read by one lexicon, that of `en`. */
export type LanguageCode = (typeof LANGUAGE_CODES)[number];
export type OtherLanguage = Exclude<LanguageCode, 'en' | 'ar'>;

/** Meanings, each with the phrases that have it, `|` between them. */
export type Lines = readonly (readonly [Meaning, string])[];

/** Adjectives of one sort of numbers; `names` are words of its columns, without accents. Phrases have `|` between them. */
export interface AdjectiveSort {
  names: string;
  most: string;
  more: string;
  least: string;
  less: string;
  /** Of all rows of a thing together: "best-selling". */
  sums?: true;
  /** Stands for such a column: "how old", "earns". */
  how?: string;
}

/** What has to be known of a language besides English to read questions in it. Words in lower case, with their accents. */
export interface Language {
  lines: Lines;
  adjectives: readonly AdjectiveSort[];
  /** Words that turn a question into another one, as in `changing-words.ts`. */
  changing: string;
  numbers: Readonly<Record<string, number>>;
  /** "Thousand", "million" */
  factors: Readonly<Record<string, number>>;
  units: Readonly<Record<string, string>>;
  /** From January on; `|` between names of one month. */
  months: readonly string[];
  /** "First" to "fourth" before "quarter" and "half" a year. */
  ordinals: readonly string[];
  quarter: string;
  half: string;
  /** Words before the number of a year, before the name of a month. */
  year: string;
  month: string;
  /** Between a day, its month and its year. */
  of: string;
  truths: readonly [yes: string, no: string];
  /** Written onto the next word: `l'`. */
  elisions?: RegExp;
  /** Words that nouns are joined to: "Gesamt-umsatz", "Umsatz-summe". */
  compounds?: { before: readonly string[]; behind: readonly string[] };
  /** Verbs may stand at the end. */
  verbsLast?: true;
  /** Adjectives may stand behind their nouns. */
  adjectivesBehind?: true;
  /** How a word is typed where the keyboard lacks a letter. */
  respell(word: string): string;
  /** Endings of the plural that its stemmer does not see. */
  plural?: RegExp;
  stemmer: 'german' | 'french' | 'spanish' | 'italian' | 'portuguese' | 'dutch';
  /** Letters that tell the language from its sisters. */
  letters: RegExp;
}

export const aggregate = (name: Aggregate): Meaning => ({ kind: 'aggregate', aggregate: name });
export const timely = (name: Aggregate): Meaning => ({ kind: 'aggregate', aggregate: name, ofTime: true });
export const edge = (direction: 'asc' | 'desc', many?: boolean): Meaning => ({
  kind: 'edge',
  edge: direction,
  ...(many === undefined ? {} : { many }),
});
export const compare = (op: Comparison, of: 'numbers' | 'times' | 'both' = 'numbers'): Meaning => ({
  kind: 'compare',
  op,
  of,
});
export const unit = (name: DateUnit, alone: boolean): Meaning => ({ kind: 'unit', unit: name, alone });

/** Each of the stems with each of the endings. */
export function inflected(stems: string, endings: string): string {
  return stems
    .split('|')
    .flatMap((stem) => endings.split('|').map((ending) => stem + ending))
    .join('|');
}

/** Each of the heads followed by each of the words, or by none. */
export function followed(heads: string, words: string): string {
  return heads
    .split('|')
    .flatMap((head) => [head, ...words.split('|').map((word) => `${head} ${word}`)])
    .join('|');
}

export const withoutAccents = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');

function each(words: string, made: (word: string) => string[]): string {
  return words
    .split('|')
    .filter((word) => word !== '')
    .flatMap(made)
    .join('|');
}

/** Words that stand for a sort of columns. */
export const standing = (names: string, how: string): AdjectiveSort => ({
  names,
  most: '',
  more: '',
  least: '',
  less: '',
  how,
});

/** A sort of adjectives whose superlatives and comparatives are made of words around them. */
export function sorted(
  names: string,
  most: string,
  least: string,
  superlatives: (word: string) => string[],
  comparative: (word: string) => string,
): AdjectiveSort {
  return {
    names,
    most: each(most, superlatives),
    more: each(most, (word) => [comparative(word)]),
    least: each(least, superlatives),
    less: each(least, (word) => [comparative(word)]),
  };
}
