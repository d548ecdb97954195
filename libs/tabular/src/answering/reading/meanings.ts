import { lexiconOf } from './lexicon.js';
import type { Mark } from './mark-words.js';
import { relativeAt } from './relative-times.js';
import type { Word } from './words.js';

/** Of the longest phrase of up to `longest` words that is a word of asking. */
export function meaningsAt(words: readonly Word[], at: number, longest: number): Mark[] {
  const marks: Mark[] = [];
  for (let length = Math.min(longest, words.length - at); length > 0; length--) {
    const stretch = words.slice(at, at + length);
    if (stretch.some(({ quoted }) => quoted)) continue;
    for (const meaning of lexiconOf(stretch[0]!.language).get(stretch.map(({ plain }) => plain).join(' ')) ?? []) {
      // «Omzet van deze maand» is not about what was asked before.
      const refers = meaning.kind === 'aside' && meaning.refers === true;
      if (!refers || relativeAt(words, at + length - 1) === null) marks.push({ ...meaning, words: stretch, at });
    }
    if (marks.length > 0) break;
  }
  return marks;
}
