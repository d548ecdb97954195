import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { parseStatement } from '../../query/child/parse-statement.js';
import { sqlName, sqlText, type AskedTable } from '../asked-table.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const NAME = `ci"ty'; DROP TABLE t; --`;
const VALUES = [`O'Brien"; DELETE FROM t; --`, `x' OR '1'='1`, 'Amman', '%', '\\'];

const asked: AskedTable = {
  alias: `my "table'`,
  name: 'orders',
  sheet: null,
  uid: 'u',
  filename: 'orders.csv',
  rowCount: 5,
  columns: [
    { name: NAME, originalName: 'city', type: 'text', nullable: true, values: VALUES },
    { name: 'amount', originalName: 'Amount"; --', type: 'number', nullable: true, values: [] },
    { name: 'day', originalName: 'day', type: 'date', nullable: true, values: [] },
  ],
  sample: [],
  range: 'A1:C6',
  firstRow: 2,
  contiguous: true,
};

describe('statements of questions that were read', () => {
  let connection: DuckDBConnection;
  beforeAll(async () => {
    const instance = await DuckDBInstance.create(':memory:');
    connection = await instance.connect();
    const rows = VALUES.map((value, at) => `(${sqlText(value)}, ${at + 1}.5::DOUBLE, DATE '2024-0${at + 1}-03')`);
    await connection.run(
      `CREATE TABLE ${sqlName(asked.alias)} AS SELECT * FROM (VALUES ${rows.join(', ')}) AS t(${sqlName(NAME)}, amount, day)`,
    );
  });
  afterAll(() => connection.closeSync());

  const answer = async (question: string) => {
    const { reading } = readQuestion(question, [asked], []);
    if (reading?.kind !== 'query') return reading;
    const sql = readingSql(reading);
    await parseStatement(connection, sql, new Set([asked.alias]));
    return (await connection.runAndReadAll(sql)).getRowsJson();
  };

  it('are whole whatever names and values hold', async () => {
    for (const [at, value] of VALUES.entries()) {
      const quoted = `“${value}”`;
      expect(await answer(`sum of amount where city is ${quoted}`)).toEqual([[at + 1.5]]);
    }
    expect(await answer(`total amount where city is “'; DROP TABLE orders; --”`)).toEqual([[null]]);
    expect(await answer('total amount by city')).toHaveLength(5);
    expect(await answer('list all cities')).toHaveLength(5);
  });

  it.each([
    ['how many rows where amount is over 3', [['3']]],
    ['average amount', [[3.5]]],
    ['median amount in 2024', [[3.5]]],
    [
      'total amount by quarter',
      [
        ['2024-01-01', 7.5],
        ['2024-04-01', 10],
      ],
    ],
    ['total amount by year', [['2024', 17.5]]],
    ['how many rows with day after 2024-03-03', [['2']]],
    [
      'lowest 2 rows by amount',
      [
        [VALUES[0], 1.5, '2024-01-03'],
        [VALUES[1], 2.5, '2024-02-03'],
      ],
    ],
    ['what is the earliest day', [['2024-01-03']]],
    ['top 1 city by amount', [['\\', 5.5]]],
  ])('answer %j', async (question, rows) => {
    expect(await answer(question)).toEqual(rows);
  });
});
