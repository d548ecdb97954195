import { newStemmer } from 'snowball-stemmers';
import { languageNamed, type LanguageCode } from './lexicon/languages.js';
import { fold } from './words.js';

const REMEMBERED = 50_000;
const LONGEST = 48;
const stemmers = new Map<LanguageCode, (word: string) => string>();
const known = new Map<string, string>();

/** What inflections of a word have in common in a language, without accents: `Filialen`, `Filiale`; `Koeln`, `Köln`. */
export function stemOf(word: string, code: LanguageCode): string {
  const key = `${code} ${word.slice(0, LONGEST)}`;
  const found = known.get(key) ?? make(word.slice(0, LONGEST), code);
  if (known.size >= REMEMBERED) known.clear();
  known.set(key, found);
  return found;
}

function make(word: string, code: LanguageCode): string {
  const language = languageNamed(code);
  if (!language) return word;
  let stem = stemmers.get(code);
  if (!stem) {
    const stemmer = newStemmer(language.stemmer);
    stemmers.set(code, (stem = (text) => stemmer.stem(text)));
  }
  const typed = code === 'de' ? umlautsFolded(word) : word;
  return fold(stem(typed)) || word;
}

/** `Mueller`, `Strasse` as `Muller`, `Strase` are: not in `Quelle`, `neue`, `Mauer`. */
function umlautsFolded(word: string): string {
  return word.replaceAll('ß', 'ss').replaceAll(/(?<![aeq])(ae|oe|ue)/g, (pair) => pair[0]!);
}
