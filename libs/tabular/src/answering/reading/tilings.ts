import { ends, fits } from './grammar.js';
import { meaningsAt } from './meanings.js';
import { marksAt, type Mark } from './mark-words.js';
import type { Vocabulary } from './vocabulary.js';
import type { Word } from './words.js';

/** Ways to take a question apart; one with more is no simple question. */
const MOST = 400;
/** Steps on the way to them. */
const MOST_STEPS = 20_000;

export interface Tilings {
  /** Each covers every word. */
  tilings: Mark[][];
  /** Words that mean nothing here, wherever they stand. */
  unknown: string[];
  /** What each word can mean, by its place. */
  candidates: Mark[][];
}

/** "In total" is one phrase, but where a city is called Total it may be two words. */
function shorterPhrases(words: readonly Word[], at: number, candidates: readonly Mark[][]): Mark[] {
  const shorter: Mark[] = [];
  let longest = Math.max(
    0,
    ...candidates[at]!.map((mark) => (mark.kind === 'value' || mark.kind === 'column' ? 0 : mark.words.length)),
  );
  for (; longest > 1; longest--) {
    const inner = candidates.slice(at + 1, at + longest);
    if (!inner.some((marks) => marks.some(({ kind }) => kind === 'value'))) continue;
    const found = meaningsAt(words, at, longest - 1);
    shorter.push(...found);
    longest = found[0]?.words.length ?? 0;
  }
  return shorter;
}

/** Every way to take a question apart in which each word means something that can stand where it stands. */
export function tilingsOf(words: readonly Word[], vocabulary: Vocabulary): Tilings {
  const candidates = words.map((_, at) => marksAt(words, at, vocabulary));
  for (const [at, marks] of candidates.entries()) marks.push(...shorterPhrases(words, at, candidates));
  const covered = new Set(
    candidates.flatMap((marks, at) => marks.flatMap((mark) => mark.words.map((_, next) => at + next))),
  );
  const unknown = words.filter((_, at) => !covered.has(at)).map(({ text }) => text);
  if (unknown.length > 0) return { tilings: [], unknown, candidates };
  const tilings: Mark[][] = [];
  const marks: Mark[] = [];
  let steps = 0;
  const walk = (at: number): boolean => {
    if (at === words.length) {
      if (ends(marks)) tilings.push([...marks]);
      return tilings.length <= MOST;
    }
    for (const mark of candidates[at]!) {
      if (++steps > MOST_STEPS) return false;
      if (!fits(marks, mark)) continue;
      marks.push(mark);
      const goesOn = walk(at + mark.words.length);
      marks.pop();
      if (!goesOn) return false;
    }
    return true;
  };
  return walk(0) ? { tilings, unknown, candidates } : { tilings: [], unknown, candidates };
}
