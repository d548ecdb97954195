import type { AskedColumn, AskedTable } from '../asked-table.js';
import { LEXICON, LONGEST_PHRASE, type Meaning } from './lexicon.js';
import { nameWords, normalise, sameWord, valueWords, wordsOf, type Word } from './words.js';

/** A stretch of a question and what it means in view of one table. */
export type Mark =
  | (Meaning & { words: Word[] })
  | { kind: 'column'; columns: AskedColumn[]; words: Word[]; aggregateToo?: Meaning | undefined }
  /** A value that text columns have. */
  | { kind: 'value'; value: string; columns: AskedColumn[]; words: Word[] }
  | { kind: 'number'; number: number; words: Word[] }
  | { kind: 'date'; date: string; words: Word[] }
  /** The name of the table, or of what a row of it is. */
  | { kind: 'table'; words: Word[] }
  | { kind: 'unknown'; words: Word[] };

type Candidate = { mark: Mark; length: number };

/** Reads a question from its beginning, taking the longest stretch that means something each time. */
export function markWords(question: string, table: AskedTable): Mark[] {
  const words = wordsOf(question);
  const marks: Mark[] = [];
  for (let at = 0; at < words.length;) {
    const { mark, length } = longestAt(words, at, table);
    marks.push(mark);
    at += length;
  }
  return marks;
}

function longestAt(words: Word[], at: number, table: AskedTable): Candidate {
  const first = words[at]!;
  const found = [valueAt(words, at, table), columnAt(words, at, table), tableAt(words, at, table)].filter(
    (candidate) => candidate !== null,
  );
  const meaning = first.quoted ? null : meaningAt(words, at);
  // A column named `total` may be meant where a total is asked for: the reader decides.
  const column = found.find(({ mark }) => mark.kind === 'column');
  if (meaning && column?.mark.kind === 'column' && column.length <= meaning.length)
    column.mark.aggregateToo = meaning.meaning;
  const [best] = found.toSorted((one, other) => other.length - one.length);
  // "Show all orders" is not about the plan named All: what a word means goes before a value of as many words.
  const outweighs = (meaning?.length ?? 0) + (best?.mark.kind === 'value' && meaning ? 1 : 0);
  if (best && best.length >= outweighs) return best;
  if (meaning) {
    const { length } = meaning;
    return { mark: { ...meaning.meaning, words: words.slice(at, at + length) }, length };
  }
  const single = { words: [first] };
  const number = first.quoted ? null : toNumber(first.norm);
  if (number !== null) return { mark: { kind: 'number', number, ...single }, length: 1 };
  if (/^\d{4}-\d{2}-\d{2}$/.test(first.norm)) return { mark: { kind: 'date', date: first.norm, ...single }, length: 1 };
  return { mark: { kind: 'unknown', ...single }, length: 1 };
}

function meaningAt(words: Word[], at: number): { meaning: Meaning; length: number } | null {
  for (let length = Math.min(LONGEST_PHRASE, words.length - at); length > 0; length--) {
    const phrase = words
      .slice(at, at + length)
      .map(({ norm }) => norm)
      .join(' ');
    const meaning = LEXICON.get(phrase);
    if (meaning) return { meaning, length };
  }
  return null;
}

function columnAt(words: Word[], at: number, { columns }: AskedTable): Candidate | null {
  let length = 0;
  const found: AskedColumn[] = [];
  for (const column of columns) {
    const names = [column.name, column.originalName, withoutUnit(column.originalName)].map(nameWords);
    const longest = Math.max(...names.map((name) => (matches(words, at, name) ? name.length : 0)));
    if (longest > length) {
      length = longest;
      found.length = 0;
    }
    if (longest > 0 && longest === length) found.push(column);
  }
  return length === 0
    ? null
    : { mark: { kind: 'column', columns: found, words: words.slice(at, at + length) }, length };
}

/** `Cost (EUR)` is asked for as the cost. */
function withoutUnit(header: string): string {
  return header.replace(/[([][^)\]]*[)\]]/g, ' ');
}

function valueAt(words: Word[], at: number, { columns }: AskedTable): Candidate | null {
  let best: { value: string; length: number; columns: AskedColumn[] } | null = null;
  for (const column of columns)
    for (const value of column.values) {
      const length = valueLength(words, at, value);
      if (length > (best?.length ?? 0)) best = { value, length, columns: [column] };
      else if (best && length === best.length && length > 0 && !best.columns.includes(column))
        best.columns.push(column);
    }
  if (best === null) return null;
  const { value, length } = best;
  return { mark: { kind: 'value', value, columns: best.columns, words: words.slice(at, at + length) }, length };
}

/** Of how many words a value is, if it stands there; numbers are values only where a column is named. */
function valueLength(words: Word[], at: number, value: string): number {
  const first = words[at]!;
  if (first.quoted) return first.norm === normalise(value) ? 1 : 0;
  const parts = valueWords(value);
  if (parts.length === 0 || (parts.length === 1 && toNumber(parts[0]!) !== null)) return 0;
  const stand = parts.every((part, next) => {
    const word = words[at + next];
    if (!word || word.quoted) return false;
    // «بعمان», «لعمان»: a preposition is written with the name.
    return word.norm === part || (next === 0 && /^[وبلف]/.test(word.norm) && word.norm.slice(1) === part);
  });
  return stand ? parts.length : 0;
}

function tableAt(words: Word[], at: number, table: AskedTable): Candidate | null {
  const names = [table.alias, table.name, table.sheet ?? '', table.filename.replace(/\.[^.]+$/, '')].map(nameWords);
  // A row of a table with the column `order_id` is an order.
  const things = table.columns
    .map(({ name }) => nameWords(name))
    .filter((name) => name.length > 1 && name.at(-1) === 'id');
  const all = [...names, ...things.map((name) => name.slice(0, -1))];
  const length = Math.max(0, ...all.map((name) => (matches(words, at, name) ? name.length : 0)));
  return length === 0 ? null : { mark: { kind: 'table', words: words.slice(at, at + length) }, length };
}

function matches(words: Word[], at: number, name: readonly string[]): boolean {
  return (
    name.length > 0 &&
    name.every((part, next) => words[at + next] !== undefined && sameWord(words[at + next]!.norm, part))
  );
}

/** `1,200.5` and `1200.5`; null for anything else. */
export function toNumber(text: string): number | null {
  if (!/^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/.test(text)) return null;
  return Number(text.replaceAll(',', ''));
}
