import { recogniseTypes } from './column-typing.js';
import { textOf } from './column-types.js';
import type { Reading } from './reading-sql.js';
import { quoteText } from './names.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import type { Query, TypedColumn } from './typed-column.js';

/** Longer rows whose cells are put back in their columns; further ones keep only their text. */
const MOST_MENDED = 1_000;
const MOST_COLUMNS = 100;
const OPTIONS_AT_ONCE = 500;

const filled = (index: number) => textOf(`c${index}`, true);

export interface RaggedRows {
  /** Columns that the header names. */
  named: number;
  /** The first row of data, as the staged rows count. */
  firstRow: number;
}

/**
 * Rows with more cells than the header: most often a cell holds the delimiter without quotation marks, and what follows
 * it stands in the wrong columns. The whole row is kept as a text in the column behind the last named one. A cell is
 * kept where every reading of the row that fits the types of its columns puts the same value; else it is empty.
 * @returns the longer rows, as the staged rows count
 */
export async function mendRagged(
  rows: Query,
  staged: StagedTable,
  columns: readonly PlannedColumn[],
  { named, firstRow }: RaggedRows,
): Promise<number[]> {
  const all = Array.from({ length: staged.columns }, (_, index) => index);
  const beyond = `coalesce(${all.slice(named).map(filled).join(', ')}) IS NOT NULL`;
  const found = await rows(
    `SELECT rowid, to_json([${all.map((index) => `c${index}`).join(', ')}])::VARCHAR FROM staged
     WHERE rowid >= ${firstRow} AND ${beyond} ORDER BY rowid LIMIT ${MOST_MENDED}`,
  );
  const longer = found.map(([rowid, cells]) => ({
    rowid: Number(rowid),
    cells: trimmedEnd((JSON.parse(String(cells)) as (string | null)[]).map((cell) => cell ?? '')),
  }));
  const regular = `rowid >= ${firstRow} AND NOT (${beyond})`;
  const [[count]] = (await rows(`SELECT count(*) FROM staged WHERE ${regular}`)) as [[bigint]];
  const names = columns.filter(({ index }) => index < named);
  const typed = await recogniseTypes(rows, staged, names, { condition: regular, rowCount: Number(count) });
  const mended = names.length > MOST_COLUMNS ? [] : await readRows(rows, longer, typed, staged.delimiter, named);
  const raw = `array_to_string(list_transform([${all.map(filled).join(', ')}], lambda x: coalesce(x, '')), ${quoteText(staged.delimiter)})`;
  const cleared = names.map(({ index }) => `c${index} = NULL`);
  await rows(
    `UPDATE staged SET ${[...cleared, `c${named} = rtrim(${raw}, ${quoteText(staged.delimiter)})`].join(', ')}
     WHERE rowid >= ${firstRow} AND ${beyond}`,
  );
  for (let start = 0; start < mended.length; start += OPTIONS_AT_ONCE) {
    const values = mended
      .slice(start, start + OPTIONS_AT_ONCE)
      .map(({ rowid, cells }) => `(${rowid}, ${names.map(({ index }) => sqlText(cells[index])).join(', ')})`);
    await rows(
      `UPDATE staged SET ${names.map(({ index }) => `c${index} = m.v${index}`).join(', ')}
       FROM (VALUES ${values.join(', ')}) m(id, ${names.map(({ index }) => `v${index}`).join(', ')}) WHERE staged.rowid = m.id`,
    );
  }
  return longer.map(({ rowid }) => rowid);
}

/** Of "1,234" in two cells: it may have been one number. */
const mayBeNumber = (text: string, { type }: Reading) =>
  type === 'integer' || type === 'number'
    ? ` OR regexp_full_match(${text}, '[^A-Za-z]*[0-9]+([.,;][0-9]+)+[^A-Za-z]*')`
    : '';

type Cells = readonly string[];

function trimmedEnd(cells: string[]): string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
}

const sqlText = (cell: string | null | undefined) =>
  cell === null || cell === undefined || cell === '' ? 'NULL::VARCHAR' : quoteText(cell);

/** Each way in which a row may be meant: with what is too much at its end, or with cells that belong together. */
function optionsOf(cells: Cells, delimiter: string, named: number): string[][] {
  const extra = cells.length - named;
  const joined = Array.from({ length: named }, (_, at) => [
    ...cells.slice(0, at),
    cells.slice(at, at + extra + 1).join(delimiter),
    ...cells.slice(at + extra + 1),
  ]);
  return [cells.slice(0, named), ...joined];
}

/** What all fitting options of a row agree upon. */
async function readRows(
  rows: Query,
  longer: readonly { rowid: number; cells: Cells }[],
  typed: readonly TypedColumn[],
  delimiter: string,
  named: number,
): Promise<{ rowid: number; cells: (string | null)[] }[]> {
  const options = longer.flatMap(({ rowid, cells }) =>
    optionsOf(cells, delimiter, named).map((option) => ({ rowid, option })),
  );
  const checked = typed.filter(({ reading }) => reading !== null);
  const fits: boolean[] = [];
  for (let start = 0; start < options.length; start += OPTIONS_AT_ONCE) {
    const some = options.slice(start, start + OPTIONS_AT_ONCE);
    if (checked.length === 0) {
      fits.push(...some.map(() => true));
      continue;
    }
    const values = some.map(
      ({ option }, at) => `(${at}, ${checked.map(({ column }) => sqlText(option[column.index])).join(', ')})`,
    );
    const conditions = checked.map(
      ({ text, reading }) => `((${text}) IS NULL OR ${reading!.fits(`(${text})`)}${mayBeNumber(text, reading!)})`,
    );
    const found = await rows(
      `SELECT ${conditions.join(' AND ')} FROM (VALUES ${values.join(', ')}) o(place, ${checked.map(({ column }) => `c${column.index}`).join(', ')}) ORDER BY place`,
    );
    fits.push(...found.map(([fit]) => Boolean(fit)));
  }
  let at = 0;
  return longer.map(({ rowid, cells }) => {
    const count = optionsOf(cells, delimiter, named).length;
    const fitting = options.slice(at, at + count).flatMap(({ option }, place) => (fits[at + place] ? [option] : []));
    const asIs = fits[at] ? cells : null;
    at += count;
    return { rowid, cells: agreement(fitting, asIs, typed, named) };
  });
}

function agreement(
  fitting: readonly Cells[],
  asIs: Cells | null,
  typed: readonly TypedColumn[],
  named: number,
): (string | null)[] {
  const texts = new Set(typed.flatMap(({ column, reading }) => (reading === null ? column.index : [])));
  return Array.from({ length: named }, (_, column) => {
    const values = new Set(fitting.map((option) => option[column] ?? ''));
    if (values.size === 1) return [...values][0]!;
    // A word in the wrong column counts for nothing; it is better seen than lost.
    return texts.has(column) ? (asIs?.[column] ?? null) : null;
  });
}
