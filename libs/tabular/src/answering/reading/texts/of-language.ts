import type { LanguageCode, OtherLanguage } from '../lexicon/languages.js';
import { DUTCH_TEXTS } from './dutch.js';
import { FRENCH_TEXTS } from './french.js';
import { GERMAN_TEXTS } from './german.js';
import { ITALIAN_TEXTS } from './italian.js';
import { PORTUGUESE_TEXTS } from './portuguese.js';
import { SPANISH_TEXTS } from './spanish.js';
import type { Texts } from './texts.js';

const TEXTS: Readonly<Record<OtherLanguage, Texts>> = {
  de: GERMAN_TEXTS,
  fr: FRENCH_TEXTS,
  es: SPANISH_TEXTS,
  it: ITALIAN_TEXTS,
  pt: PORTUGUESE_TEXTS,
  nl: DUTCH_TEXTS,
};

/** Null for English and Arabic. */
export function textsOf(language: LanguageCode): Texts | null {
  return language === 'en' || language === 'ar' ? null : TEXTS[language];
}

/** The words of one place where something is said, in a language; English ones for what the language lacks. */
export function wordsOfLanguage<W>(
  words: { readonly en: W; readonly ar: unknown },
  section: 'description' | 'answer' | 'notices',
  language: LanguageCode,
): W {
  const texts = textsOf(language);
  if (texts === null) return (language === 'ar' ? words.ar : words.en) as W;
  const own: Record<string, unknown> = { ...texts[section] };
  return Object.fromEntries(
    Object.entries(words.en as Record<string, unknown>).map(([key, english]) => [key, joined(english, own[key])]),
  ) as W;
}

function joined(english: unknown, own: unknown): unknown {
  if (own === undefined) return english;
  return typeof english === 'object' && typeof own === 'object' ? { ...english, ...own } : own;
}
