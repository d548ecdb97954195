import {
  chooseReading,
  HAS_EASTERN_DIGITS,
  nextToTry,
  readingsFor,
  textOf,
  valueTextOf,
  type Reading,
} from './column-types.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';

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
}

export type Query = (sql: string) => Promise<unknown[][]>;

interface RowsAsked {
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
  const typed: TypedColumn[] = [];
  for (let start = 0; start < columns.length; start += COLUMNS_PER_QUERY) {
    const some = columns.slice(start, start + COLUMNS_PER_QUERY);
    typed.push(...(await typesOf(rows, staged, some, asked, sampleRows)));
  }
  return typed;
}

/** A sample rules most readings out; of the others one after the other is tried on every row, most often only one. */
async function typesOf(
  rows: Query,
  staged: StagedTable,
  columns: readonly PlannedColumn[],
  { condition, rowCount }: RowsAsked,
  sampleRows: number,
): Promise<TypedColumn[]> {
  const { padded } = staged;
  const readings = readingsFor(staged.delimiter);
  const sample = `(SELECT * FROM staged WHERE ${condition} LIMIT ${sampleRows})`;
  const digits = await rows(
    `SELECT ${columns.map(({ index }) => `coalesce(bool_or(regexp_matches(c${index}, '${HAS_EASTERN_DIGITS}')), false)`).join(', ')} FROM ${sample}`,
  );
  const texts = columns.map(({ index }, at) =>
    valueTextOf(`c${index}`, { padded, easternDigits: Boolean(digits[0]![at]) }),
  );
  const possible = await fitting(
    rows,
    texts.map((text) => ({ text, readings })),
    sample,
    'true',
    padded,
  );
  const typed: TypedColumn[] = [];
  let open = columns.map((column, at) => ({ column, text: texts[at]!, readings: possible[at]!.readings }));
  while (open.length > 0) {
    const tried = open.map((candidate) => ({ ...candidate, readings: nextToTry(candidate.readings) }));
    const found = await fitting(rows, tried, 'staged', condition, padded);
    const left: typeof open = [];
    for (const [at, { column, text, readings: candidates }] of open.entries()) {
      const { readings: fits, given, values } = found[at]!;
      const reading = values === 0 ? null : chooseReading(fits);
      if (reading !== null) typed.push({ column, reading, text, nullable: values < rowCount });
      else if (fits.length > 0 || candidates.length === 0)
        typed.push({ column, reading: null, text, nullable: given < rowCount });
      else left.push({ column, text, readings: candidates.slice(1) });
    }
    open = left;
  }
  return typed.sort((a, b) => a.column.index - b.column.index);
}

/** Of each column: the readings that fit all its texts, how many cells hold anything, and how many a value. */
async function fitting(
  rows: Query,
  columns: readonly { column?: PlannedColumn; text: string; readings: readonly Reading[] }[],
  from: string,
  condition: string,
  padded: boolean,
): Promise<{ readings: Reading[]; given: number; values: number }[]> {
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
