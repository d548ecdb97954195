import type { LanguageCode } from './language.js';

/** Languages that write compounds as one word. */
const COMPOUNDING: ReadonlySet<LanguageCode> = new Set(['de', 'nl', 'sv', 'da', 'no', 'fi', 'hu']);
/** No term of a text begins like this. */
const BACKWARDS = '~';
const SHORTEST_COMPOUND = 8;
const SHORTEST_HEAD = 5;
const SHORTEST_TAIL = 4;
const WORD = /^[\p{L}]+$/u;

const backwards = (term: string) => BACKWARDS + [...term].toReversed().join('');

/** The term of a compound read backwards, so that it is found by how it ends: `versicherung` in `Haftpflichtversicherung`. */
export function compoundTail(term: string, language: LanguageCode): string | null {
  if (!COMPOUNDING.has(language) || term.length < SHORTEST_COMPOUND || !WORD.test(term)) return null;
  return backwards(term);
}

/** Beginnings of terms by which compounds are found that have a word, by its term, in front or at their end. */
export function compoundPrefixes(term: string, language: LanguageCode): string[] {
  if (!COMPOUNDING.has(language) || !WORD.test(term)) return [];
  return [...(term.length >= SHORTEST_HEAD ? [term] : []), ...(term.length >= SHORTEST_TAIL ? [backwards(term)] : [])];
}

/** Between the parts of a compound. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er'];
const SHORTEST_PART = 4;

/** Ways to take a long word for two: `Kündigungsfrist` for `Kündigung` and `Frist`; at most some 60. */
export function* splits(word: string): Generator<[string, string]> {
  if (!WORD.test(word) || word.length > 40) return;
  for (let at = SHORTEST_PART; at + SHORTEST_PART <= word.length; at++) {
    const [front, back] = [word.slice(0, at), word.slice(at)];
    for (const link of LINKS) {
      const head = link === '' ? front : front.slice(0, -link.length);
      if (front.endsWith(link) && head.length >= SHORTEST_PART) yield [head, back];
    }
  }
}
