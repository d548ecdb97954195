import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

type Detector = typeof import('eld/extrasmall').eld;

/** What `detectLanguage` can say, as ISO 639-1. */
export const LANGUAGES = [
  ...(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ca', 'ro', 'sv', 'da', 'no', 'fi', 'hu', 'pl', 'cs', 'tr'] as const),
  ...(['ru', 'uk', 'bg', 'el', 'ar', 'fa', 'ur', 'he', 'hi', 'th', 'vi', 'zh', 'ja', 'ko'] as const),
];
export type LanguageCode = (typeof LANGUAGES)[number];

/** The detector reads no more than that. */
const SAMPLE = 1000;
const PIECES = 4;
/** How sure it must be of words so few that it calls itself unsure. */
const SURE_OF_FEW = 0.7;
/** Below this it guesses: names, codes. */
const GUESS = 0.6;

/** Addresses and what has digits in it belong to no language. */
const NO_WORDS = /(?:https?:\/\/|www\.)\S+|\S+@\S+|\S*\p{N}\S*/gu;

/** Scripts that tell the language before any word does; kana comes first, as Japanese has Han too. */
const SCRIPTS: readonly [LanguageCode, RegExp][] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['el', /\p{Script=Greek}/gu],
];
/** Share of the letters that must be of the script. */
const OF_SCRIPT = 0.3;

const require = createRequire(import.meta.url);
let loaded: Detector | null = null;

/** Loaded when a text is first read: what it knows takes 40 MB, which most processes never need. */
function detector(): Detector {
  if (loaded) return loaded;
  // The package is offered to `import` alone, which cannot wait until it is needed.
  const { eld } = require(fileURLToPath(import.meta.resolve('eld/extrasmall'))) as { eld: Detector };
  // An instance of our own: nobody else's settings change it.
  loaded = eld.newInstance();
  loaded.setLanguageSubset([...LANGUAGES]);
  return loaded;
}

const known: ReadonlySet<string> = new Set(LANGUAGES);

function isKnown(language: string): language is LanguageCode {
  return known.has(language);
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

/** Of a long text, pieces from all over it: a preamble in English is not the language of the document. */
function sampleOf(text: string): string {
  if (text.length <= SAMPLE) return text;
  const step = Math.floor(text.length / PIECES);
  const length = SAMPLE / PIECES;
  return Array.from({ length: PIECES }, (_, at) => text.slice(at * step, at * step + length)).join(' ');
}

/**
 * The language that most of a text (a question, a page, a document) is in; null where it has too few words to tell:
 * names, codes, numbers. Reads some 1,000 characters of any text, in well under a millisecond.
 */
export function detectLanguage(text: string): LanguageCode | null {
  const words = sampleOf(text).replace(NO_WORDS, ' ').trim();
  const letters = countOf(/\p{L}/gu, words);
  if (letters === 0) return null;
  const written = SCRIPTS.find(([, script]) => countOf(script, words) > OF_SCRIPT * letters);
  if (written) return written[0];
  const result = detector().detect(words);
  if (!isKnown(result.language)) return null;
  const score = result.getScores()[result.language] ?? 0;
  return score >= (result.isReliable() ? GUESS : SURE_OF_FEW) ? result.language : null;
}
