import { VERBS } from './lexicon/verbs.js';
import type { Word } from './words.js';

/** "Sold", "bought": what is done with pieces of something. */
export function trades({ norm, language, quoted }: Word): boolean {
  return !quoted && VERBS[language]?.trades.has(norm) === true;
}
