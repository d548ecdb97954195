import { fold } from '@app/common';
import { newStemmer, type SnowballLanguage } from 'snowball-stemmers';
import type { LanguageCode } from './language.js';

const SNOWBALL: Partial<Record<LanguageCode, SnowballLanguage>> = {
  en: 'english',
  de: 'german',
  fr: 'french',
  es: 'spanish',
  it: 'italian',
  pt: 'portuguese',
  nl: 'dutch',
  ca: 'catalan',
  ro: 'romanian',
  sv: 'swedish',
  da: 'danish',
  no: 'norwegian',
  fi: 'finnish',
  hu: 'hungarian',
  cs: 'czech',
  tr: 'turkish',
  ru: 'russian',
};

/** Longer words are cut: whoever types one letter a thousand times gets a term all the same. */
export const MAX_TERM = 48;
const CACHE_LIMIT = 50_000;

interface Stemmer {
  stem(word: string): string;
}
const stemmers = new Map<LanguageCode, Stemmer | null>();
const stems = new Map<LanguageCode, Map<string, string>>();

function stemmerOf(language: LanguageCode): Stemmer | null {
  let stemmer = stemmers.get(language);
  if (stemmer === undefined) {
    const name = SNOWBALL[language];
    stemmer = name === undefined ? null : newStemmer(name);
    stemmers.set(language, stemmer);
  }
  return stemmer;
}

/** Letters that decomposition leaves alone, as they are typed where a keyboard lacks them. */
const LETTERS: Record<string, string> = { ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

/** Without accents, and without the letters that only some keyboards have. */
export function plainLetters(word: string): string {
  return fold(word).replaceAll(/[øæœłđðþı]/g, (letter) => LETTERS[letter]!);
}

const UMLAUTS: Record<string, string> = { ae: 'ä', oe: 'ö', ue: 'ü' };

/** German that was typed without umlauts: `Mueller`, `Gebuehr`; not `Quelle`, `neue`, `Mauer`. */
function withUmlauts(word: string): string {
  return word.replaceAll('ß', 'ss').replaceAll(/(?<![aeq])(?:ae|oe|ue)/g, (pair) => UMLAUTS[pair]!);
}

function work(language: LanguageCode, word: string): string {
  const stemmer = stemmerOf(language);
  const ready = language === 'de' ? withUmlauts(word) : word;
  return plainLetters(stemmer ? stemmer.stem(ready) : ready) || plainLetters(word);
}

/**
 * The stem of a word in a language, without accents; only that where no stemmer knows the language.
 * @param word lower case, composed (NFC), with its accents: the rules of a language need them
 */
export function stemIn(language: LanguageCode, word: string): string {
  let known = stems.get(language);
  if (known === undefined) stems.set(language, (known = new Map<string, string>()));
  const short = word.slice(0, MAX_TERM);
  const before = known.get(short);
  if (before !== undefined) return before;
  const stem = work(language, short);
  if (known.size >= CACHE_LIMIT) known.clear();
  known.set(short, stem);
  return stem;
}

export function isStemmable(language: LanguageCode): boolean {
  return SNOWBALL[language] !== undefined;
}
