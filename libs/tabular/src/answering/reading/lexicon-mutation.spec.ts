import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { assert, asyncProperty, constantFrom, record } from 'fast-check';
import { sqlText, type AskedTable } from '../asked-table.js';
import { LEXICON } from './lexicon.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const OTHERS =
  'may|march|q1|today|total sales|sales|city|product|quantity|day|true|no|not|or not|two|10|2024|10%|$5|in total us|all the rows|us|it|of the|best|average|table|last|first|between us|nothing|growth|other|irbid total'.split(
    '|',
  );
const WORDS = [...LEXICON.keys(), ...OTHERS].filter((word) => /[\p{L}\p{N}]/u.test(word));
const title = (word: string) => word.replace(/(^|\s)(\p{L})/gu, (all) => all.toUpperCase());
const CASES = [(word: string) => word, title, (word: string) => word.toUpperCase()] as const;

const written = record({
  word: constantFrom(...WORDS),
  stored: constantFrom(...CASES),
  shape: constantFrom(...CASES),
  column: constantFrom('city' as const, 'product' as const),
});

/** Questions that name the value, and others; each with the right figure and the condition on its rows. */
function questions(value: string, column: string): [turns: string[], select: string, where: string][] {
  const own = `"${column}" = VALUE`;
  const isCity = column === 'city';
  return [
    [[`total quantity in ${value}`], 'sum(quantity)', own],
    [[`quantity of ${value}`], 'sum(quantity)', own],
    [[`What is the total quantity for ${value}?`], 'sum(quantity)', own],
    [[`how many ${value} rows`], 'count(*)', own],
    [[`how many rows where ${column} is ${value}`], 'count(*)', own],
    [[`average quantity with ${column} ${value}`], 'avg(quantity)', own],
    [['total quantity', `and for ${value}?`], 'sum(quantity)', own],
    [['total quantity in Irbid', `only ${value}`], 'sum(quantity)', isCity ? own : `${own} AND city = 'Irbid'`],
    [
      [`total quantity for ${value} and Irbid`],
      'sum(quantity)',
      isCity ? `(${own} OR city = 'Irbid')` : `${own} AND city = 'Irbid'`,
    ],
    [['total quantity'], 'sum(quantity)', 'true'],
    [['how many rows are there'], 'count(*)', 'true'],
    [['total quantity in Irbid'], 'sum(quantity)', `city = 'Irbid'`],
    [['average quantity of Pump in 2024'], 'avg(quantity)', `product = 'Pump' AND year(day) = 2024`],
    [['how many rows with quantity over 10'], 'count(*)', 'quantity > 10'],
    [['how many rows between March and May 2024'], 'count(*)', `day >= '2024-03-01' AND day < '2024-06-01'`],
  ];
}

function asked(name: string, type: 'text' | 'integer' | 'date', values: string[]) {
  return { name, originalName: title(name), type, nullable: false, values, complete: true };
}

function valuesWith(value: string, column: 'city' | 'product') {
  return {
    cities: [column === 'city' ? value : 'Amman', 'Irbid', 'Zarqa'],
    products: [column === 'product' ? value : 'Valve', 'Pump'],
  };
}

function tableWith(value: string, column: 'city' | 'product'): AskedTable {
  const { cities, products } = valuesWith(value, column);
  return {
    alias: 'sales',
    name: 'sales',
    sheet: null,
    uid: 'u',
    filename: 'sales.csv',
    rowCount: 12,
    columns: [
      asked('city', 'text', cities),
      asked('product', 'text', products),
      { ...asked('quantity', 'integer', []), span: [1, 2048] },
      { ...asked('day', 'date', []), span: ['2023-11-10', '2025-01-24'] },
    ],
    sample: [],
    range: 'A1:D13',
    firstRow: 2,
    contiguous: true,
  };
}

describe('values of the data that are words of asking', () => {
  let connection: DuckDBConnection;
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect();
  });
  afterAll(() => connection.closeSync());

  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();

  async function create(value: string, column: 'city' | 'product'): Promise<void> {
    const { cities, products } = valuesWith(value, column);
    const rows = Array.from(
      { length: 12 },
      (_, at) =>
        `(${sqlText(cities[at % 3]!)}, ${sqlText(products[(at >> 1) % 2]!)}, ${2 ** at}, DATE '2023-11-10' + ${at * 40})`,
    );
    await connection.run(
      `CREATE OR REPLACE TABLE sales AS SELECT * FROM (VALUES ${rows.join(', ')}) t(city, product, quantity, day)`,
    );
  }

  it('never give a wrong number', async () => {
    const runs = process.env['ATRIUM_PROPERTY_RUNS'];
    let answered = 0;
    let all = 0;
    await assert(
      asyncProperty(written, async ({ word, stored, shape, column }) => {
        const value = stored(word);
        const table = tableWith(value, column);
        await create(value, column);
        for (const [turns, select, where] of questions(shape(word), column)) {
          const history = turns.slice(0, -1).map((question) => ({ question, sql: null, answer: '' }));
          const { reading } = readQuestion(turns.at(-1)!, [table], history);
          all++;
          if (reading?.kind !== 'query') continue;
          answered++;
          const right = await rowsOf(`SELECT ${select} FROM sales WHERE ${where.replace('VALUE', sqlText(value))}`);
          const sql = readingSql(reading);
          expect({ turns, sql, rows: await rowsOf(sql) }).toEqual({ turns, sql, rows: right });
        }
      }),
      runs === undefined ? { numRuns: 40, seed: 12 } : { numRuns: Number(runs) },
    );
    // Refusing everything would be no wrong number either.
    expect(answered / all).toBeGreaterThan(0.4);
  });

  it('are meant where they stand in quotation marks', () => {
    for (const word of WORDS) {
      const table = tableWith(title(word), 'city');
      const { reading } = readQuestion(`total quantity in "${word}"`, [table], []);
      expect([word, reading?.kind === 'query' && readingSql(reading)]).toEqual([
        word,
        `SELECT sum("quantity") AS "sum_quantity" FROM "sales" WHERE "city" = ${sqlText(title(word))}`,
      ]);
    }
  });
});
