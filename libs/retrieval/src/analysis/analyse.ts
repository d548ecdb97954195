import { fold } from '@app/common';
import { newStemmer } from 'snowball-stemmers';
import { stemArabic } from './arabic-stem.js';
import { STOP_WORDS } from './stop-words.js';

/** Runs of letters and digits, joined by what joins numbers, codes, names and addresses: `INV-2024/07`, `a.b@c.org`. */
const TOKEN = /[\p{L}\p{N}\p{M}]+(?:['._\-/@:][\p{L}\p{N}\p{M}]+)*/gu;
const JOINER = /['._\-/@:]/;
const LATIN = /^[a-z]+$/;
const ARABIC = /^[\u0600-\u06ff]+$/;
/** Scripts without spaces between words. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+$/u;
const MAX_TERM = 48;
const CACHE_LIMIT = 50_000;

const english = newStemmer('english');
const stems = new Map<string, string>();

function stemEnglish(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = english.stem(word);
  if (stems.size >= CACHE_LIMIT) stems.clear();
  stems.set(word, stem);
  return stem;
}

function* termsOfWord(word: string): Generator<string> {
  if (STOP_WORDS.has(word)) return;
  if (LATIN.test(word)) yield stemEnglish(word.slice(0, MAX_TERM));
  else if (ARABIC.test(word)) yield stemArabic(word.slice(0, MAX_TERM));
  else if (word.length > 2 && UNSPACED.test(word)) for (let i = 0; i + 1 < word.length; i++) yield word.slice(i, i + 2);
  else yield word.slice(0, MAX_TERM);
}

/**
 * The terms of a text in order, repetitions included: what passages are found by. Passages and questions go through
 * the same analysis. English words are stemmed by Snowball, Arabic ones by light10, other words are only folded.
 */
export function analyse(text: string): string[] {
  const terms: string[] = [];
  for (const [token] of fold(text).matchAll(TOKEN)) {
    if (!JOINER.test(token)) {
      terms.push(...termsOfWord(token));
      continue;
    }
    // A number or code counts as a whole too, so that it finds exactly the passage that has it.
    if (/\p{N}/u.test(token) || token.includes('@')) terms.push(token.slice(0, MAX_TERM));
    for (const part of token.split(JOINER)) terms.push(...termsOfWord(part));
  }
  return terms;
}
