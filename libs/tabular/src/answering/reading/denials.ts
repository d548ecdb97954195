import type { AskedColumn, AskedTable } from '../asked-table.js';
import { lexiconOf } from './lexicon.js';
import { labelOf } from './reading.js';
import type { ValueMatch } from './vocabulary.js';
import { nameWords, sameWord, type Word } from './words.js';
import { isYesOrNo } from './yes-no.js';

/** "Would not recommend", "wouldn't recommend" of a column that is called "Would recommend". */
export function deniedAt(
  words: readonly Word[],
  at: number,
  { columns }: AskedTable,
): { column: AskedColumn; length: number } | null {
  const [first, next] = words.slice(at, at + 2);
  if (!first || !next || first.quoted || first.language !== 'en') return null;
  const inOne = /^(.+?)n['’]?t$/.exec(first.text.toLowerCase())?.[1];
  const behind = inOne === undefined && next.plain === 'not' ? 2 : 1;
  if (inOne === undefined && behind === 1) return null;
  for (const column of columns) {
    const [head, ...rest] = isYesOrNo(column) ? nameWords(labelOf(column)) : [];
    const said = words.slice(at + behind, at + behind + rest.length);
    if (head === undefined || rest.length === 0 || said.length < rest.length || head !== (inOne ?? first.norm))
      continue;
    if (said.every(({ norm, quoted }, place) => !quoted && sameWord(norm, rest[place]!)))
      return { column, length: behind + rest.length };
  }
  return null;
}

/** "With no rating": the word is no cell of a column of yes and no. */
export function isOfDenial(words: readonly Word[], at: number, { found, length }: ValueMatch): boolean {
  if (length > 1 || words[at]!.quoted || !found.every(({ column }) => isYesOrNo(column))) return false;
  return [at - 1, at].some((start) => {
    const phrase = words.slice(Math.max(0, start), start + 2);
    const behind = start + 2 < words.length && phrase.length === 2 && phrase.every(({ quoted }) => !quoted);
    const meanings = behind ? lexiconOf(phrase[0]!.language).get(phrase.map(({ plain }) => plain).join(' ')) : [];
    return start >= 0 && meanings?.some((meaning) => meaning.kind === 'not' && meaning.empty) === true;
  });
}
