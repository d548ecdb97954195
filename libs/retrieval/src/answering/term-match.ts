import { isTypo, likeness, type QuestionTerm } from '../questions/question-terms.js';
import type { Reading } from '../questions/reading.js';
import { isNumber } from './shown-kinds.js';

/** Weaker likeness is no match. */
export const MATCH = 0.5;
/** Words between a number and what it counts. */
const BESIDE = 3;

/** How much of each term of the question a set of terms has, 0 to 1. */
export type Match = (terms: ReadonlySet<string>) => number[];

/** How much of each term of the question a set of terms has. A typo counts where nothing at hand is spelled that way. */
export function matcher(asked: readonly QuestionTerm[], vocabulary: readonly string[], reading: Reading): Match {
  const words = [...new Set(vocabulary)];
  const relatives = asked.map(({ terms }) =>
    terms.map((term) => {
      const like = words.map((word) => [word, likeness(term, word, reading)] as const).filter(([, much]) => much > 0);
      const found =
        like.length > 0 ? like : words.filter((word) => isTypo(term, word)).map((word) => [word, 0.7] as const);
      return new Map(found);
    }),
  );
  return (terms) => relatives.map((parts) => Math.min(1, ...parts.map((relative) => most(relative, terms))));
}

/** The most that a set of terms has of the relatives of one. */
function most(relative: ReadonlyMap<string, number>, terms: ReadonlySet<string>): number {
  let best = 0;
  for (const [word, much] of relative) if (much > best && terms.has(word)) best = much;
  return best;
}

/** Whether a number that the question does not have stands beside what is counted. */
export function isBeside(order: readonly string[], match: Match, focus: number, numbers: ReadonlySet<string>): boolean {
  return order.some(
    (word, at) =>
      match(new Set([word]))[focus]! >= MATCH &&
      order.slice(Math.max(0, at - BESIDE), at + BESIDE + 1).some((each) => isNumber(each) && !numbers.has(each)),
  );
}

/** Of the words that a statement has: 1 side by side, towards 0 far apart; a half for fewer than two. */
export function closeness(terms: readonly QuestionTerm[], order: readonly string[], match: Match): number {
  const at = terms.map(() => -1);
  for (const [index, word] of order.entries())
    for (const [term, much] of match(new Set([word])).entries()) if (much >= MATCH && at[term] === -1) at[term] = index;
  const found = at.filter((index) => index >= 0);
  if (found.length < 2) return 0.5;
  return Math.min(1, found.length / (Math.max(...found) - Math.min(...found) + 1));
}
