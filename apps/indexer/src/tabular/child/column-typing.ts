import {
  chooseReading,
  nextToTry,
  readingsFor,
  signOf,
  textOf,
  valueTextOf,
  type DecimalSign,
  type Reading,
} from './column-types.js';
import { quoteText } from './names.js';
import { HAS_OTHER_SIGNS } from './number-text.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import { findStyles, typeStyled } from './styled-columns.js';
import type { Style } from './styled-numbers.js';

/** Aggregates in one query: each column has about twenty readings. */
const COLUMNS_PER_QUERY = 25;
/** Cells that are looked at to rule readings out, over all columns, and in one at least and at most. */
const SAMPLE_CELLS = 100_000;
const SAMPLE_ROWS = { least: 500, most: 10_000 };

export interface TypedColumn {
  column: PlannedColumn;
  /** Null for text. */
  reading: Reading | null;
  /** SQL of what `reading` reads. */
  text: string;
  nullable: boolean;
  unit?: string;
  /** Why numbers stayed text, for people. */
  note?: string;
}

export type Query = (sql: string) => Promise<unknown[][]>;

export interface RowsAsked {
  /** SQL that is true for the rows of the table. */
  condition: string;
  rowCount: number;
}

/** What the columns of the staged table hold, decided by all their values. */
export async function recogniseTypes(
  rows: Query,
  staged: StagedTable,
  columns: readonly PlannedColumn[],
  asked: RowsAsked,
): Promise<TypedColumn[]> {
  const share = Math.floor(SAMPLE_CELLS / columns.length);
  const sampleRows = Math.min(SAMPLE_ROWS.most, Math.max(SAMPLE_ROWS.least, share));
  const sample = `(SELECT * FROM staged WHERE ${asked.condition} LIMIT ${sampleRows})`;
  const sampled: SampledColumn[] = [];
  for (let start = 0; start < columns.length; start += COLUMNS_PER_QUERY)
    sampled.push(...(await lookAt(rows, staged, columns.slice(start, start + COLUMNS_PER_QUERY), sample)));
  const sign = agreed(sampled.map(({ readings }) => signOf(readings)));
  const typed: TypedColumn[] = [];
  for (let start = 0; start < sampled.length; start += COLUMNS_PER_QUERY) {
    const some = sampled.slice(start, start + COLUMNS_PER_QUERY);
    const plain = some.filter(({ style }) => style === null);
    typed.push(...(await typesOf(rows, staged, plain, asked, sign)));
  }
  for (const column of sampled)
    if (column.style !== null)
      typed.push(await typeStyled(rows, staged, { ...column, style: column.style }, asked, sign));
  return typed.sort((a, b) => a.column.index - b.column.index);
}

/** What the sample tells of a column. */
export interface SampledColumn {
  column: PlannedColumn;
  text: string;
  /** Readings that fit it. */
  readings: Reading[];
  /** Of numbers that no such reading fits; with the units, where they are mixed. */
  style: Style | { mixed: string[] } | null;
}

const agreed = (signs: readonly DecimalSign[]): DecimalSign => {
  const told = new Set(signs.filter((sign) => sign !== null));
  return told.size === 1 ? [...told][0]! : null;
};

/** A sample rules most readings out. */
async function lookAt(
  rows: Query,
  { padded, delimiter, marked }: StagedTable,
  columns: readonly PlannedColumn[],
  sample: string,
): Promise<SampledColumn[]> {
  const [signs] = await rows(
    `SELECT ${columns.map(({ index }) => `coalesce(bool_or(regexp_matches(c${index}, ${quoteText(HAS_OTHER_SIGNS)})), false)`).join(', ')} FROM ${sample}`,
  );
  const written = columns.map((column, at) => {
    const writing = { padded, otherSigns: marked || Boolean(signs![at]) };
    return { column, text: valueTextOf(`c${column.index}`, writing), readings: readingsFor(delimiter, writing) };
  });
  const possible = await fitting(
    rows,
    written.map(({ text, readings }) => ({ text, readings })),
    sample,
    'true',
    padded,
  );
  const looked = written.map(({ column, text }, at) => ({ column, text, ...possible[at]! }));
  const unread = looked.filter(({ readings, values }) => readings.length === 0 && values > 0);
  const styles = await findStyles(rows, unread, sample);
  return looked.map((found) => ({ ...found, style: styles.get(found.column) ?? null }));
}

/** Of the readings that the sample leaves one after the other is tried on every row, most often only one. */
async function typesOf(
  rows: Query,
  { padded }: StagedTable,
  columns: readonly SampledColumn[],
  { condition, rowCount }: RowsAsked,
  sign: DecimalSign,
): Promise<TypedColumn[]> {
  const typed: TypedColumn[] = [];
  let open: Omit<SampledColumn, 'style'>[] = [...columns];
  while (open.length > 0) {
    const tried = open.map((candidate) => ({ ...candidate, readings: nextToTry(candidate.readings) }));
    const found = await fitting(rows, tried, 'staged', condition, padded);
    const left: typeof open = [];
    for (const [at, { column, text, readings: candidates }] of open.entries()) {
      const { readings: fits, given, values } = found[at]!;
      const reading = values === 0 ? null : chooseReading(fits, sign);
      if (reading !== null) typed.push({ column, reading, text, nullable: values < rowCount });
      else if (fits.length > 0 || candidates.length === 0)
        typed.push({ column, reading: null, text, nullable: given < rowCount });
      else left.push({ column, text, readings: candidates.slice(1) });
    }
    open = left;
  }
  return typed;
}

/** Of each column: the readings that fit all its texts, how many cells hold anything, and how many a value. */
export async function fitting<R extends Reading>(
  rows: Query,
  columns: readonly { column?: PlannedColumn; text: string; readings: readonly R[] }[],
  from: string,
  condition: string,
  padded: boolean,
): Promise<{ readings: R[]; given: number; values: number }[]> {
  const texts = columns.map(({ text, column }, at) => {
    const raw = column ? `, ${textOf(`c${column.index}`, padded)} IS NOT NULL AS g${at}` : '';
    return `${text} AS v${at}${raw}`;
  });
  const aggregates = columns.flatMap(({ column, readings }, at) => [
    column ? `count(*) FILTER (g${at})` : '0',
    `count(v${at})`,
    ...readings.map(({ fits }) => `coalesce(bool_and(v${at} IS NULL OR (${fits(`v${at}`)})), true)`),
  ]);
  const [row] = await rows(
    `SELECT ${aggregates.join(', ')} FROM (SELECT ${texts.join(', ')} FROM ${from} WHERE ${condition})`,
  );
  let next = 0;
  return columns.map(({ readings }) => {
    const given = Number(row![next++]);
    const values = Number(row![next++]);
    return { given, values, readings: readings.filter(() => Boolean(row![next++])) };
  });
}
