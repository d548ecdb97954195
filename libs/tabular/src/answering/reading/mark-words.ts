import type { AskedColumn } from '../asked-table.js';
import { amountAt, type Amount } from './amounts.js';
import { LEXICON, LONGEST_PHRASE, type Meaning } from './lexicon.js';
import { timeAt, type Period, type Season } from './times.js';
import type { ValueMatch, Vocabulary } from './vocabulary.js';
import type { Word } from './words.js';

/** A stretch of a question and one of the things that it can mean in view of one table. */
export type Mark = { words: Word[]; at: number } & (
  | Meaning
  | { kind: 'column'; columns: AskedColumn[]; partial: boolean }
  /** A value that text columns have. */
  | ({ kind: 'value' } & ValueMatch)
  | { kind: 'amount'; amount: Amount }
  | { kind: 'period'; period: Period }
  | { kind: 'season'; season: Season }
  | { kind: 'twofold'; choices: string[] }
  | { kind: 'truth'; value: boolean }
  /** The name of the table, or of what a row of it is. */
  | { kind: 'table'; key: AskedColumn | null }
  /** In quotation marks, and no value that is known. */
  | { kind: 'quoted' }
);

const TRUTHS = new Map([
  ...['true', 'yes', 'نعم', 'صحيح'].map((word) => [word, true] as const),
  ...['false', 'no', 'لا', 'خطا'].map((word) => [word, false] as const),
]);

/** Everything that the words from there on can mean; none when the first of them is not understood. */
export function marksAt(words: readonly Word[], at: number, vocabulary: Vocabulary): Mark[] {
  const first = words[at]!;
  const marks: Mark[] = [];
  const take = (length: number) => ({ words: words.slice(at, at + length), at });
  const value = vocabulary.valueAt(words, at);
  if (value) marks.push({ kind: 'value', ...value, ...take(value.length) });
  const column = vocabulary.columnAt(words, at);
  if (column && !column.partial) marks.push({ kind: 'column', ...column, ...take(column.length) });
  if (first.quoted) return marks.length > 0 ? marks : [{ kind: 'quoted', ...take(1) }];
  const table = vocabulary.tableAt(words, at);
  if (table > 0) marks.push({ kind: 'table', key: vocabulary.keyAt(words, at), ...take(table) });
  const amount = amountAt(words, at, vocabulary.units);
  if (amount) marks.push({ kind: 'amount', amount: amount.amount, ...take(amount.length) });
  const time = timeAt(words, at);
  if (time) marks.push({ ...time, ...take(time.length) });
  const truth = TRUTHS.get(first.plain);
  if (truth !== undefined) marks.push({ kind: 'truth', value: truth, ...take(1) });
  marks.push(...meaningsAt(words, at, LONGEST_PHRASE));
  // The end of a name only where the word means nothing else.
  if (marks.length === 0 && column) marks.push({ kind: 'column', ...column, ...take(column.length) });
  return marks;
}

/** Of the longest phrase of up to `longest` words that is a word of asking. */
export function meaningsAt(words: readonly Word[], at: number, longest: number): Mark[] {
  const marks: Mark[] = [];
  for (let length = Math.min(longest, words.length - at); length > 0; length--) {
    const stretch = words.slice(at, at + length);
    if (stretch.some(({ quoted }) => quoted)) continue;
    for (const meaning of LEXICON.get(stretch.map(({ plain }) => plain).join(' ')) ?? [])
      marks.push({ ...meaning, words: stretch, at });
    if (marks.length > 0) break;
  }
  return marks;
}
