import type { OpenTabularDatabase } from '../databases/tabular-databases.js';
import type { TabularColumn, TabularTable } from '../records/tabular-table.js';
import type { Cell, QueriedFile } from '../query/query-messages.js';

export interface AskedColumn extends TabularColumn {
  /** Some of its values, when it is text: all of them when it has few, else those that the question may name. */
  values: string[];
  /** Whether `values` has every value of the column. */
  complete?: boolean;
  /** Whether no two rows have the same value; absent when that was not looked at. */
  unique?: boolean;
  /** Whether it numbers the rows and is called like one: `Order` with 1001, 1002 and so on, `Rechnung` with R-17. */
  numbers?: boolean;
  /** What it numbers, where that is no word for such things but the name of its table: `Trip` with 1, 2, 3 in `trips.csv`. */
  thing?: string;
  /** Whether each of its values has one row for a year: then a row is a figure, not one of what the value names. */
  yearly?: boolean;
  /** The value of it whose rows are the sums of all others, by their numbers: "All countries". */
  whole?: string;
  /** The lowest and highest number, or the first and last date (ISO), when it was looked at and there is any. */
  span?: [low: number | string, high: number | string];
  /** Of a column that the file does not have: what it is reckoned from, row by row. */
  elapsed?: Elapsed;
  /** The same, of two numbers of a row; empty where either is. */
  arithmetic?: Arithmetic;
}

export interface Arithmetic {
  op: '*' | '-' | '/';
  first: AskedColumn;
  second: AskedColumn;
  /** Of a quotient: how many hundredths it is. */
  percent?: true;
}

/** How long it is from one time of a row to another. */
export interface Elapsed {
  from: AskedColumn;
  /** Null, or empty in a row: up to `today`, an ISO date; without one, such a row has none. */
  to: AskedColumn | null;
  today: string | null;
  /** `night`: days that are added up, `age`: whole years. */
  unit: 'minute' | 'hour' | 'day' | 'night' | 'week' | 'year' | 'age';
}

/** A table that a question is about, as statements know it. */
export interface AskedTable extends Omit<TabularTable, 'columns'> {
  /** How statements call it: its own name, with a number behind it where two files use the same. */
  alias: string;
  uid: string;
  filename: string;
  columns: AskedColumn[];
  /** Whether every row is a person of its own: has a name that no other row has, and an age or a sex. */
  persons?: boolean;
  /** The first rows. */
  sample: Cell[][];
  /** What the person chose where the question was asked back. */
  chosen?: readonly Choice[];
}

/** An answer to what was asked back: of `about`, in the words of one of the choices. */
export interface Choice {
  what: string;
  about: string;
  choice: string;
}

/** The tables of the files under names that are theirs alone, and the files as the runner takes them. */
export function toAskedTables(databases: readonly OpenTabularDatabase[]): {
  tables: AskedTable[];
  files: QueriedFile[];
} {
  const taken = new Set<string>();
  const tables: AskedTable[] = [];
  const files = databases.map(({ uid, filename, path, tables: own, isRows }): QueriedFile => {
    const named = own.map((table) => ({ ...table, alias: freeName(table.name, taken) }));
    for (const table of named) {
      const columns = table.columns.map((column) => ({ ...column, values: [] }));
      tables.push({ ...table, uid, filename, columns, sample: [] });
    }
    const columns = isRows && own[0] ? own[0].columns.map(({ name, type }) => ({ name, type })) : undefined;
    return { path, tables: named.map(({ name, alias }) => ({ name, alias })), ...(columns && { columns }) };
  });
  return { tables, files };
}

/** A name that nothing has yet, whatever its case: itself, or with a number behind it. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let at = 2; taken.has(free.toLowerCase()); at++) free = `${name}_${at}`;
  taken.add(free.toLowerCase());
  return free;
}

/** As a name of SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** What stands for a column in a statement. */
export function columnSql({ name, elapsed, arithmetic }: AskedColumn): string {
  if (arithmetic) {
    const { op, first, second } = arithmetic;
    const whole = op === '*' && first.type === 'integer' && second.type === 'integer';
    // Of two whole numbers the product may be too large for one of 64 bits.
    const times = whole ? `CAST(${columnSql(first)} AS HUGEINT)` : columnSql(first);
    return arithmeticSql(arithmetic, times, columnSql(second));
  }
  return elapsed ? elapsedSql(elapsed) : sqlName(name);
}

/** @param first,second what stands for its parts. By zero there is no quotient. */
export function arithmeticSql({ op, percent }: Arithmetic, first: string, second: string): string {
  return op === '/' ? `(${percent ? '100e0 * ' : ''}${first} / nullif(${second}, 0))` : `(${first} ${op} ${second})`;
}

/** Whether the file does not have the column: it is reckoned, row by row. */
export function isReckoned({ elapsed, arithmetic }: AskedColumn): boolean {
  return elapsed !== undefined || arithmetic !== undefined;
}

const SECONDS = { minute: 60, hour: 3600, day: 86_400, week: 604_800 } as const;

function elapsedSql({ from, to, today, unit }: Elapsed): string {
  const begin = sqlName(from.name);
  const now = today && `DATE ${sqlText(today)}`;
  const end = to && now ? `coalesce(${sqlName(to.name)}, ${now})` : to ? sqlName(to.name) : now!;
  if (unit === 'age') return `date_sub('year', ${begin}, ${end})`;
  if (unit === 'year') return `date_diff('day', ${begin}, ${end}) / 365.25`;
  if (unit === 'night') return `date_diff('day', ${begin}, ${end})`;
  if (from.type === 'date' && (to === null || to.type === 'date'))
    return unit === 'day'
      ? `date_diff('day', ${begin}, ${end})`
      : `date_diff('day', ${begin}, ${end}) * ${86_400 / SECONDS[unit]}e0`;
  return `date_diff('second', CAST(${begin} AS TIMESTAMP), CAST(${end} AS TIMESTAMP)) / ${SECONDS[unit]}`;
}

/** As a text of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
