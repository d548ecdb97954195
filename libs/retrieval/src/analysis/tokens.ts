import { fold } from '@app/common';
import type { LanguageCode } from './language.js';
import { isUnspaced, SPACED_LETTER, UNSPACED_LETTER } from './unspaced.js';

/**
 * Runs of letters and digits, joined by what joins numbers, codes, names and addresses: `INV-2024/07`, `a.b@c.org`. Letters
 * of scripts without spaces are runs of their own: `月租金为`, `5000`, `元`.
 */
export const TOKEN = new RegExp(`${UNSPACED_LETTER}+|${SPACED_LETTER}+(?:['._\\-\\/@:]${SPACED_LETTER}+)*`, 'gv');
export const JOINER = /['._\-/@:]/;

const LATIN = /^[\p{Script=Latin}\p{M}]+$/u;
const CYRILLIC = /^[\p{Script=Cyrillic}\p{M}]+$/u;

/** Lower case as the language has it, with accents, in the composed form that stemmers know. */
export function light(text: string, language: LanguageCode): string {
  const composed = text.normalize('NFKC').replaceAll(/[\u2019\u02bc]/g, "'");
  return (language === 'tr' ? composed.toLocaleLowerCase('tr') : composed.toLowerCase()).normalize('NFC');
}

/** Whether a language's stemmer has a say in this word. */
export function isStemmed(word: string, language: LanguageCode): boolean {
  return (language === 'ru' ? CYRILLIC : LATIN).test(word);
}

/** Words of scripts without spaces are found by pairs of their letters. */
export function pairsOf(word: string): string[] | null {
  if (word.length <= 2 || !isUnspaced(word)) return null;
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
}

/** Whether a token means something as a whole: a number, a code, an address. */
export function isCode(token: string): boolean {
  return /\p{N}/u.test(token) || token.includes('@');
}

/** A code, or words with hyphens, as one who leaves the joiners out writes it: `AX-9000-B7`, `e-mail`; null for others. */
export function joined(token: string): string | null {
  if (token.includes('@') || token.includes(':') || !/[-._/]/.test(token)) return null;
  const word = fold(token).replaceAll(/['._\-/]/g, '');
  return word.length >= 4 && word.length <= 32 ? word : null;
}
