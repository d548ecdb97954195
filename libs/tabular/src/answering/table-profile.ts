import { QueryError } from '../query/query-error.js';
import type { QueryResult } from '../query/query-messages.js';
import type { QueryRun, QueryRunner } from '../query/query-runner.js';
import { sqlName, sqlText, type AskedColumn, type AskedTable } from './asked-table.js';
import { isMeasured } from './reading/conditions.js';
import { isNumeric, isTime, isYearColumn } from './reading/reading.js';
import { numberedBy } from './reading/row-nouns.js';
import { nameWords, sameWord } from './reading/words.js';

const SAMPLE_ROWS = 3;
/** Values of a column are worth naming up to this many. */
const FEW_VALUES = 50;
/** Rows that are looked through for them. */
const LOOKED_AT_ROWS = 100_000;
/** Columns over all tables that are looked through; the first ones. */
const LOOKED_AT_COLUMNS = 60;
const LONGEST_VALUE = 80;
/** In fewer rows any figures may happen to differ. */
const FEWEST_NUMBERED = 5;
/** Sums are made before numbers are rounded. */
const NEARLY = 0.005;

type Run = Omit<QueryRun, 'statements' | 'evidence'>;
interface Look {
  sql: string;
  keep(result: QueryResult): void;
}

/**
 * Looks at the first rows, at the values of text columns with few of them, at the lowest and highest numbers and dates,
 * and at whether keys are. Writes all of it into `tables`.
 * @returns whether it looked at all of that: a table that is too heavy to look through has its first rows alone
 */
export async function profileTables(runner: QueryRunner, run: Run, tables: readonly AskedTable[]): Promise<boolean> {
  const samples = tables.map((table) => ({
    sql: `SELECT * FROM ${sqlName(table.alias)} LIMIT ${SAMPLE_ROWS}`,
    keep: ({ rows }: QueryResult) => void (table.sample = rows),
  }));
  const texts = tables
    .flatMap((table) => table.columns.filter(({ type }) => type === 'text').map((column) => ({ table, column })))
    .slice(0, LOOKED_AT_COLUMNS);
  const looks = [
    ...samples,
    ...texts.map(({ table, column }) => valuesOf(table, column)),
    ...tables.flatMap((table) => [...spansOf(table), ...uniqueIn(table), ...yearlyIn(table), ...keysOf(table)]),
  ];
  try {
    await look(runner, run, looks);
    await look(runner, run, tables.flatMap(wholesIn));
    return true;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    // All that is a help, no condition: a table that is too heavy to look through can be asked all the same.
    await look(runner, run, samples);
    return false;
  }
}

async function look(runner: QueryRunner, run: Run, looks: readonly Look[]): Promise<void> {
  if (looks.length === 0) return;
  const results = await runner.run({ ...run, statements: looks.map(({ sql }) => sql) });
  for (const [at, { keep }] of looks.entries()) keep(results[at]!);
}

function valuesOf({ alias, rowCount }: AskedTable, column: AskedColumn): Look {
  return {
    sql: `SELECT DISTINCT v FROM (SELECT left(${sqlName(column.name)}, ${LONGEST_VALUE + 1}) AS v FROM ${sqlName(alias)} LIMIT ${LOOKED_AT_ROWS})
       WHERE v IS NOT NULL LIMIT ${FEW_VALUES + 1}`,
    keep: ({ rows }) => {
      const found = rows.map(([value]) => String(value));
      const few = found.length <= FEW_VALUES;
      const short = found.filter((value) => value.length <= LONGEST_VALUE);
      column.values = few ? short.toSorted() : [];
      column.complete = few && short.length === found.length && rowCount <= LOOKED_AT_ROWS;
    },
  };
}

/** One statement for all numbers and dates of a table. */
function spansOf({ alias, columns }: AskedTable): Look[] {
  const ordered = columns.filter((column) => isNumeric(column) || isTime(column)).slice(0, LOOKED_AT_COLUMNS);
  if (ordered.length === 0) return [];
  const ends = ordered.flatMap(({ name }) => [`min(${sqlName(name)})`, `max(${sqlName(name)})`]);
  return [
    {
      sql: `SELECT ${ends.join(', ')} FROM ${sqlName(alias)}`,
      keep: ({ rows: [row = []] }) => {
        for (const [at, column] of ordered.entries()) {
          const [low, high] = [row[2 * at], row[2 * at + 1]];
          if (isEnd(low) && isEnd(high)) column.span = [low, high];
        }
      },
    },
  ];
}

const PERSONS_NAME =
  /^(?:(?:full|first|last|given|family|middle|person|employee|student|patient)_?)?(?:name|surname)$|^الاسم$|^اسم$/i;
const PERSONAL = /(?:^|_)(?:age|gender|sex|birth|birthday|birthdate|dob)(?:_|$)|^العمر$|^الجنس$/i;

const PERSONS_KEY =
  /^(?:employee|staff|personnel|person|student|pupil|patient|customer|client|member|user|player)_?(?:id|no|nr|number|code|key)$/i;

/** Whether it has names of people, and their ages or sexes. */
function tellsOfPersons({ columns }: AskedTable): boolean {
  return columns.some(({ name }) => PERSONS_NAME.test(name)) && columns.some(({ name }) => PERSONAL.test(name));
}

/** Which columns have another value in every row: then a row is told by it alone. */
function uniqueIn(table: AskedTable): Look[] {
  if (table.rowCount > LOOKED_AT_ROWS) return [];
  const columns = table.columns
    .filter((column) => column.type === 'text' || isTime(column) || isYearColumn(column))
    .slice(0, LOOKED_AT_COLUMNS);
  if (columns.length === 0) return [];
  const counts = columns.map(({ name }) => `count(DISTINCT ${sqlName(name)})`);
  const names = columns.filter(({ name }) => PERSONS_NAME.test(name)).map(({ name }) => sqlName(name));
  const ofPersons = names.length > 0 && tellsOfPersons(table);
  if (ofPersons) counts.push(`count(DISTINCT (${names.map((name) => `coalesce(${name}, '')`).join(', ')}, ''))`);
  return [
    {
      sql: `SELECT count(*), ${counts.join(', ')} FROM ${sqlName(table.alias)}`,
      keep: (result) => {
        const [rows, ...found] = result.rows[0] ?? [];
        for (const [at, column] of columns.entries()) column.unique = found[at] === rows;
        if (ofPersons) table.persons = found[columns.length] === rows;
      },
    },
  ];
}

/** Columns of which each value has one row for a year. */
function yearlyIn(table: AskedTable): Look[] {
  const year = table.columns.find((column) => column.type === 'integer' && isYearColumn(column));
  if (!year || table.rowCount > LOOKED_AT_ROWS) return [];
  const texts = table.columns.filter(({ type }) => type === 'text').slice(0, 10);
  if (texts.length === 0) return [];
  const counts = texts.map(({ name }) => `count(DISTINCT (${sqlName(name)}, ${sqlName(year.name)}))`);
  return [
    {
      sql: `SELECT count(*), ${counts.join(', ')} FROM ${sqlName(table.alias)}`,
      keep: (result) => {
        const [rows, ...found] = result.rows[0] ?? [];
        for (const [at, column] of texts.entries()) column.yearly = found[at] === rows;
      },
    },
  ];
}

const ALL = /^(?:all|total|totals|overall|grand total|world|sum)\b|^(?:الكل|المجموع|الاجمالي|الإجمالي|العالم)/iu;

/** Values that are called like all of them, and whose numbers are the sums of all others. */
function wholesIn(table: AskedTable): Look[] {
  const numbers = table.columns.filter(isMeasured).slice(0, 5);
  if (numbers.length === 0) return [];
  return table.columns.flatMap((column) => {
    const called = column.complete === true ? column.values.filter((value) => ALL.test(value)) : [];
    const [value, ...others] = called;
    if (value === undefined || others.length > 0 || column.values.length < 3) return [];
    const own = `${sqlName(column.name)} = ${sqlText(value)}`;
    const sums = numbers.flatMap(({ name }) => [
      `sum(${sqlName(name)}) FILTER (WHERE ${own})`,
      `sum(${sqlName(name)}) FILTER (WHERE NOT ${own})`,
    ]);
    return [
      {
        sql: `SELECT ${sums.join(', ')} FROM ${sqlName(table.alias)}`,
        keep: ({ rows: [row = []] }: QueryResult) => {
          const isSum = numbers.some((_, at) => {
            const [one, rest] = [Number(row[2 * at]), Number(row[2 * at + 1])];
            return one !== 0 && Math.abs(one - rest) <= Math.abs(one) * NEARLY;
          });
          if (isSum) column.whole = value;
        },
      },
    ];
  });
}

/**
 * Whether `order_id` names a row, or an order with several rows; likewise a column that is called like its table, and whole
 * numbers at the beginning of each row, whatever they are called ("Respondent").
 */
function keysOf(table: AskedTable): Look[] {
  const names = [table.alias, table.name, table.sheet ?? '', table.filename.replace(/\.[^.]+$/, '')].map(nameWords);
  const isCalledLikeTable = (column: AskedColumn) =>
    names.some((name) => name.length === 1 && nameWords(column.name).some((word) => sameWord(word, name[0]!)));
  return table.columns
    .filter(
      (column, at) =>
        /(^|_)id$/i.test(column.name) ||
        (at === 0 && column.type === 'integer') ||
        isCalledLikeTable(column) ||
        numberedBy(column) !== null ||
        PERSONS_KEY.test(column.name),
    )
    .slice(0, 10)
    .map((column) => ({
      sql: `SELECT count(*) = count(DISTINCT v), bool_and(regexp_matches(CAST(v AS VARCHAR), '[0-9]')),
           ${column.type === 'integer' ? 'max(v) - min(v) + 1 = count(*)' : 'false'}
         FROM (SELECT ${sqlName(column.name)} AS v FROM ${sqlName(table.alias)} LIMIT ${LOOKED_AT_ROWS})`,
      keep: ({ rows: [row] }: QueryResult) => {
        column.unique = row?.[0] === true;
        // In other columns that are called like their table ("scores") figures may differ, but hardly one by one.
        if (row?.[2] === true && column === table.columns[0] && isCalledLikeTable(column) && !isYearColumn(column)) {
          const [word, ...more] = nameWords(column.name);
          if (word !== undefined && more.length === 0) column.thing = word;
        }
        // Texts without digits are names: "the budget per project" asks for each.
        if (column.unique && row?.[1] === true && table.rowCount >= FEWEST_NUMBERED && numberedBy(column) !== null)
          column.numbers = true;
        // Two people of one name are told apart by their numbers.
        if (column.unique && PERSONS_KEY.test(column.name) && tellsOfPersons(table)) table.persons = true;
      },
    }));
}

function isEnd(cell: unknown): cell is number | string {
  return typeof cell === 'number' || typeof cell === 'string';
}
