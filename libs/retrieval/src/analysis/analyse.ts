import { fold } from '@app/common';
import { stemArabic } from './arabic-stem.js';
import { stemKorean } from './korean-stem.js';
import type { LanguageCode } from './language.js';
import { MAX_TERM, stemIn } from './stemming.js';
import { STOP_WORDS } from './stop-words.js';
import { compoundTerms } from './compounds.js';
import { isCode, isStemmed, JOINER, joined, light, pairsOf, TOKEN } from './tokens.js';

const LATIN = /^[a-z]+$/;
const ARABIC = /^[\u0600-\u06ff]+$/;
const KOREAN = /^\p{Script=Hangul}+$/u;

function* termsOfWord(word: string): Generator<string> {
  if (STOP_WORDS.has(word)) return;
  if (LATIN.test(word)) yield stemIn('en', word);
  else if (ARABIC.test(word)) yield stemArabic(word.slice(0, MAX_TERM));
  else if (KOREAN.test(word)) yield stemKorean(word.slice(0, MAX_TERM));
  else yield* pairsOf(word) ?? [word.slice(0, MAX_TERM)];
}

/** The same for a word of another language: `light`, so that its accents are still there. */
function* termsOfLightWord(word: string, language: LanguageCode): Generator<string> {
  if (isStemmed(word, language)) yield stemIn(language, word);
  else yield* termsOfWord(fold(word));
}

/**
 * The terms of one token (`TOKEN`): a number or a code counts as a whole too, so that it finds exactly the passage that
 * has it, and each of its parts.
 * @param token folded for English, `light` for any other language
 */
export function termsOfToken(token: string, language: LanguageCode): string[] {
  const parts = (word: string) => [...(language === 'en' ? termsOfWord(word) : termsOfLightWord(word, language))];
  if (!JOINER.test(token)) return parts(token);
  const whole = isCode(token) ? [fold(token).slice(0, MAX_TERM)] : [];
  return [...whole, ...token.split(JOINER).flatMap(parts)];
}

/** Text as the analysis of a language reads it: English, as ever, without accents. */
export function prepared(text: string, language: LanguageCode): string {
  return language === 'en' ? fold(text) : light(text, language);
}

/**
 * The terms of an English text in order, repetitions included. English words are stemmed by Snowball, Arabic ones by
 * light10, other words are only folded.
 */
export function analyse(text: string): string[] {
  return termsOf(text, 'en').terms;
}

export interface TextTerms {
  /** In order, repetitions included. */
  terms: string[];
  /** What a text is found by besides, and which adds nothing to its length: codes without joiners, parts of compounds. */
  more: string[];
}

/**
 * What a passage is found by. English stop words are left out of English; those of other languages stay, since a
 * language may be mistaken: questions leave them out.
 * @param language that its words are stemmed by; English where it is not known
 */
export function termsOf(text: string, language: LanguageCode): TextTerms {
  const result: TextTerms = { terms: [], more: [] };
  for (const [token] of prepared(text, language).matchAll(TOKEN)) {
    const terms = termsOfToken(token, language);
    for (const term of terms) result.terms.push(term);
    const whole = JOINER.test(token) ? joined(token) : null;
    if (whole !== null) result.more.push(...termsOfToken(whole, language));
    for (const term of terms) result.more.push(...compoundTerms(term, language));
  }
  return result;
}
