import type { AskedColumn, AskedTable } from '../asked-table.js';
import type { DoneMark } from './done-dates.js';
import type { Mark } from './mark-words.js';
import { isTime, labelOf, type ReadQuery, type Reading, type Unclear } from './reading.js';
import { readingSql } from './reading-sql.js';
import { textOf } from './words.js';
import type { Word } from './words.js';

/** One way to read a question in view of one table. */
export interface Candidate {
  table: AskedTable;
  /** How the last question was taken apart. */
  marks: readonly Mark[];
  /** What else each of its words can mean, by its place. */
  candidates: readonly Mark[][];
  named: boolean;
  query: ReadQuery | null;
  unclear: Unclear | null;
}

/** Ways that are shown to choose from. */
const SHOWN = 6;

/** The one table in whose words the question makes sense, a table that it names first; and the one way to read it there. */
export function chooseReading(tables: readonly Candidate[][], words: readonly Word[]): Reading | null {
  return chooseTable(
    tables.flatMap((candidates) => {
      const reading = chooseWay(candidates, words);
      return reading
        ? [
            {
              reading,
              named: candidates.some(({ named, query }) => named && query !== null),
              table: candidates[0]!.table,
            },
          ]
        : [];
    }),
  );
}

/** What a question means in view of one table, and whether it names that. */
export interface TableReading {
  reading: Reading;
  named: boolean;
  table: AskedTable;
}

export function chooseTable(readings: readonly TableReading[]): Reading | null {
  const queries = readings.filter(
    ({ reading }) => reading.kind === 'query' || reading.what === 'readings' || reading.what === 'value',
  );
  const named = queries.filter((reading) => reading.named);
  const best = named.length > 0 ? named : queries;
  if (best.length > 1)
    return { kind: 'unclear', what: 'table', about: '', choices: best.map(({ table }) => table.alias) };
  return best[0]?.reading ?? readings[0]?.reading ?? null;
}

/** The one way to read it in view of one table. */
export function chooseWay(candidates: readonly Candidate[], words: readonly Word[]): Reading | null {
  const unclear = narrowest(candidates.flatMap((candidate) => candidate.unclear ?? []));
  // That a value is of two columns must not be passed over by taking it for something else.
  const serious = candidates.filter((candidate) => candidate.query ?? candidate.unclear?.what === 'value');
  const ways = distinct(rowsRather(preferred(serious, words)));
  const [only, ...others] = ways;
  if (!only) return unclear ? toUnclear(unclear) : null;
  if (others.length === 0)
    return only.query
      ? { ...only.query, passedOver: passedOver(only), guesses: guesses(only) }
      : toUnclear(only.unclear!);
  const readings = ways.flatMap(({ query }) => query ?? []);
  if (readings.length === 0) return toUnclear(only.unclear!);
  // One of the ways may be a value of several columns.
  const values = ways.flatMap(({ unclear: own }) =>
    own ? own.choices.map((choice) => `${choice}: ${own.about}`) : [],
  );
  return {
    kind: 'unclear',
    what: 'readings',
    about: contested(ways),
    choices: values.slice(0, SHOWN),
    readings: readings.slice(0, SHOWN),
  };
}

/** "Who bought the most": pieces or money, rather than any number of the table. */
function narrowest([first, ...others]: readonly Unclear[]): Unclear | undefined {
  return others.reduce((best, own) => {
    const within = own.what === 'column' && own.choices.length > 0 && own.choices.length < best!.choices.length;
    return within && own.choices.every((choice) => best!.choices.includes(choice)) ? own : best;
  }, first);
}

function toUnclear({ about, choices, what, readings }: Unclear): Reading {
  return { kind: 'unclear', what, about, choices, ...(readings && { readings }) };
}

/** "Paid orders" of which each row has its own number: rows, and not the numbers. */
function rowsRather(candidates: readonly Candidate[]): readonly Candidate[] {
  const rows = candidates.filter(
    ({ query }) => query && !isOfNumbers(query) && (query.measure === null || query.measure.aggregate === 'count'),
  );
  return candidates.filter(({ query }) => {
    if (!query || !isOfNumbers(query)) return true;
    return !rows.some((other) => other.query!.filters.length === query.filters.length);
  });
}

function isOfNumbers({ measure, groups }: ReadQuery): boolean {
  const counted = measure?.aggregate === 'count_distinct' ? [measure.column] : [];
  const columns = [...counted, ...groups.map(({ column }) => column)];
  return columns.some((column) => column?.numbers === true && column.unique === true);
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  const known = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = candidate.query ? readingSql(candidate.query) : `?${candidate.unclear!.about}`;
    const other = known.get(key);
    if (!other || passedOver(candidate).length < passedOver(other).length) known.set(key, candidate);
  }
  return [...known.values()];
}

/** Words that only lead to another: taken for what they are where they do, and differ from the value in their capitals. */
const LEADING = new Set<Mark['kind']>(['preposition', 'from', 'until', 'by', 'and', 'or', 'verb', 'article', 'opener']);

/** Whether the word does what words of asking do: "total" before a column, "rows" after "how many". */
function isAtWork(mark: Mark, marks: readonly Mark[]): boolean {
  if (LEADING.has(mark.kind)) return true;
  const at = marks.indexOf(mark);
  const next = marks.slice(at + 1).find(({ kind }) => kind !== 'article' && kind !== 'preposition');
  if (mark.kind === 'aggregate') return next?.kind === 'column' || (mark.aggregate === 'count' && next !== undefined);
  if (mark.kind === 'top' || mark.kind === 'bottom') return next?.kind === 'amount';
  return mark.kind === 'rows' && ['aggregate', 'list', 'amount'].includes(marks[at - 1]?.kind ?? '');
}

/** What capitals tell: `US` is the country and `us` no more than likely; "of all orders" is hardly about the plan `All`. */
function preferred(candidates: readonly Candidate[], words: readonly Word[]): Candidate[] {
  const telling = words.some(({ text }) => /^\p{Ll}/u.test(text));
  let left = [...candidates];
  for (const [at, word] of words.entries()) {
    const kinds = new Map<Candidate, Mark>();
    for (const candidate of left) {
      const mark = candidate.marks.find((one) => one.at === at);
      if (mark) kinds.set(candidate, mark);
    }
    const asValue = left.filter((candidate) => kinds.get(candidate)?.kind === 'value');
    const asWord = left.filter((candidate) => {
      const mark = kinds.get(candidate);
      return mark !== undefined && mark.kind !== 'value' && isAtWork(mark, candidate.marks);
    });
    const asOther = left.filter((candidate) => !asValue.includes(candidate));
    if (asValue.length === 0 || asOther.length === 0) continue;
    const value = kinds.get(asValue[0]!) as Extract<Mark, { kind: 'value' }>;
    const capital = /\p{Lu}/u.test(word.text);
    if (value.exact && (word.quoted || (capital && at > 0 && telling)))
      left = left.filter((one) => !asOther.includes(one));
    else if (!value.exact && !capital && value.length === 1 && asWord.length > 0)
      left = left.filter((one) => !asValue.includes(one));
  }
  return left;
}

/** Words that were not taken for the values that they are, too. */
function passedOver({ marks, candidates }: Candidate): ReadQuery['passedOver'] {
  return marks.flatMap((mark) => {
    if (mark.kind === 'value') return [];
    const value = candidates[mark.at]!.find((other) => other.kind === 'value');
    if (value?.kind !== 'value') return [];
    // "In" before a place is hardly the state IN.
    const plain = !value.exact && !value.words.some(({ text }) => /\p{Lu}/u.test(text));
    if (plain && isAtWork(mark, marks)) return [];
    const [found] = value.found;
    return [{ word: textOf(value.words), value: found!.values[0]!, column: found!.column }];
  });
}

/** Of several dates one was taken. */
function dateGuess({ marks, table, query }: Candidate): ReadQuery['guesses'] {
  const said = marks.flatMap((mark) => (mark.kind === 'column' ? mark.columns : []));
  const used = [...(query?.filters ?? []), ...(query?.groups ?? [])].map(({ column }) => column);
  const date = used.find((column) => isTime(column) && !said.includes(column));
  const others = table.columns.filter((column) => isTime(column) && column !== date);
  const time = marks.find(({ kind }) => ['period', 'season', 'unit'].includes(kind));
  if (!date || !time || others.length === 0) return [];
  return [{ word: textOf(time.words), as: `${labelOf(date)} (≠ ${others.map(labelOf).join(', ')})` }];
}

/** What words were taken for that are no names of it. */
function guesses(candidate: Candidate): ReadQuery['guesses'] {
  const { marks, table } = candidate;
  return [
    ...dateGuess(candidate),
    ...marks.flatMap((mark) => {
      const word = textOf(mark.words);
      if (mark.kind === 'period' && mark.relative) return [{ word, as: mark.period.label }];
      if (mark.kind === 'table' && mark.guessed) return [{ word, as: table.alias }];
      // A participle says by itself what it is taken for.
      if (mark.kind === 'column' && mark.done && !mark.done.known) return [{ word, as: sayingOf(mark.done) }];
      const columns =
        mark.kind === 'adjective'
          ? mark.adjective.columns
          : mark.kind === 'column' && mark.family
            ? named(mark.columns, mark.family)
            : [];
      const as = columns.length === 1 ? labelOf(columns[0]!) : word;
      return as.toLowerCase() === word.toLowerCase() ? [] : [{ word, as }];
    }),
  ];
}

/** As in the description of a reading. */
function sayingOf({ dates, overdue }: DoneMark): string {
  const open = `${dates.map(labelOf).join(', ')} = —`;
  return overdue ? `${labelOf(overdue.column)} < ${overdue.today}, ${open}` : open;
}

function named(columns: readonly AskedColumn[], family: readonly AskedColumn[]): readonly AskedColumn[] {
  return columns.length > 0 ? columns : family;
}

/** The words that the ways take for different things. */
function contested([one, other]: readonly Candidate[]): string {
  const [first, second] = [byPlace(one!.marks), byPlace(other!.marks)];
  const differing = [...first].filter(([at, mark]) => {
    const same = second.get(at);
    return same?.kind !== mark.kind || same.words.length !== mark.words.length;
  });
  return textOf(differing[0]?.[1].words ?? []) || labelOf(one!.table.columns[0]!);
}

function byPlace(marks: readonly Mark[]): Map<number, Mark> {
  return new Map(marks.map((mark) => [mark.at, mark]));
}
