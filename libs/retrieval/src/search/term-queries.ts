import type { QuestionWord } from '../analysis/question-words.js';
import { lexemeLiteral } from '../chunk-index/terms-vector.js';
import type { TermShape } from './keyword-statements.js';

/** A word of a question as it is looked for: `QuestionWord`, and what was found in its place. */
export interface SoughtWord extends QuestionWord {
  /** Terms that all stand in a passage for this word: parts of what is written as one. */
  together?: readonly (readonly string[])[];
}

const ownedPrefix = (owner: number, prefix: string) => `${lexemeLiteral(owner, prefix)}:*`;

/** Query for what counts as the word itself. */
export function exactQuery(word: SoughtWord, owner: number): string {
  const terms = word.terms.map((term) => lexemeLiteral(owner, term));
  const groups = (word.together ?? []).map(
    (parts) => `(${parts.map((term) => lexemeLiteral(owner, term)).join(' & ')})`,
  );
  return [...terms, ...groups].join(' | ');
}

/** Query for compounds that the word is part of; null where there are none. */
export function compoundQuery(word: SoughtWord, owner: number): string | null {
  return word.prefixes.length > 0 ? word.prefixes.map((prefix) => ownedPrefix(owner, prefix)).join(' | ') : null;
}

/** Query for either. */
export function anyQuery(word: SoughtWord, owner: number): string {
  const both = [exactQuery(word, owner), compoundQuery(word, owner)].filter((query) => query !== null);
  return `(${both.join(' | ')})`;
}

export function shapeOf({ terms, together = [], prefixes, weight, optional }: SoughtWord): TermShape {
  const distinct = new Set([...terms, ...together.flat()]).size;
  return { terms: distinct, prefixes: prefixes.length, weight, optional };
}
