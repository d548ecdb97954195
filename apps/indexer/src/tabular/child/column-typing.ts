import {
  chooseReading,
  habitsOf,
  isDoubtful,
  nextToTry,
  readingsFor,
  valueTextOf,
  type Habits,
} from './column-types.js';
import { quoteText } from './names.js';
import { HAS_WORD } from './named-dates.js';
import { HAS_DIGIT, HAS_OTHER_SIGNS } from './number-text.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import { findStyles, typeStyled } from './styled-columns.js';
import { fitting, type Query, type RowsAsked, type SampledColumn, type TypedColumn } from './typed-column.js';

/** Aggregates in one query: each column has about twenty readings. */
const COLUMNS_PER_QUERY = 25;
/** Cells that are looked at to rule readings out, over all columns, and in one at least and at most. */
const SAMPLE_CELLS = 100_000;
const SAMPLE_ROWS = { least: 500, most: 10_000 };
const has = (text: string, sign: string): string => `regexp_matches(${text}, ${quoteText(sign)})`;
const UNITLESS = { unit: '', before: false };

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
  const habits = habitsOf(sampled.map(({ readings }) => readings));
  const typed: TypedColumn[] = [];
  for (let start = 0; start < sampled.length; start += COLUMNS_PER_QUERY) {
    const some = sampled.slice(start, start + COLUMNS_PER_QUERY);
    const plain = some.filter(({ style }) => style === null);
    typed.push(...(await typesOf(rows, staged, plain, asked, habits)));
  }
  for (const column of sampled)
    if (column.style !== null)
      typed.push(await typeStyled(rows, staged, { ...column, style: column.style }, asked, habits));
  return typed.sort((a, b) => a.column.index - b.column.index);
}

/** A sample rules most readings out, and its signs most of these: DuckDB takes longer to plan twenty readings than to try them. */
async function lookAt(
  rows: Query,
  { padded, delimiter, marked }: StagedTable,
  columns: readonly PlannedColumn[],
  sample: string,
): Promise<SampledColumn[]> {
  const values = columns.map(
    ({ index }) => `c${index}, ${valueTextOf(`c${index}`, { padded, otherSigns: false })} AS v${index}`,
  );
  const signs = columns.flatMap(({ index }) => [
    `coalesce(bool_or(${has(`c${index}`, HAS_OTHER_SIGNS)}), false)`,
    ...[HAS_DIGIT, HAS_WORD].map((sign) => `coalesce(bool_and(${has(`v${index}`, sign)}), true)`),
  ]);
  const [found] = await rows(`SELECT ${signs.join(', ')} FROM (SELECT ${values.join(', ')} FROM ${sample})`);
  const written = columns.map((column, at) => {
    const [others, digits, words] = found!.slice(3 * at).map(Boolean);
    const writing = { padded, otherSigns: marked || others! };
    const readings = readingsFor(delimiter, writing, { digits: digits!, words: words! });
    return { column, text: valueTextOf(`c${column.index}`, writing), readings };
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
  staged: StagedTable,
  columns: readonly SampledColumn[],
  asked: RowsAsked,
  habits: Habits,
): Promise<TypedColumn[]> {
  const { condition, rowCount } = asked;
  const typed: TypedColumn[] = [];
  let open: Omit<SampledColumn, 'style'>[] = [...columns];
  while (open.length > 0) {
    const tried = open.map((candidate) => ({ ...candidate, readings: nextToTry(candidate.readings) }));
    const found = await fitting(rows, tried, 'staged', condition, staged.padded);
    const left: typeof open = [];
    for (const [at, { column, text, readings: candidates }] of open.entries()) {
      const { readings: fits, given, values } = found[at]!;
      const reading = values === 0 ? null : chooseReading(fits, habits);
      if (reading !== null && isDoubtful(fits, habits, staged))
        typed.push(await typeStyled(rows, staged, { column, text, readings: [], style: UNITLESS }, asked, habits));
      else if (reading !== null) typed.push({ column, reading, text, nullable: values < rowCount });
      else if (fits.length > 0 || candidates.length === 0)
        typed.push({ column, reading: null, text, nullable: given < rowCount });
      else left.push({ column, text, readings: candidates.slice(1) });
    }
    open = left;
  }
  return typed;
}
