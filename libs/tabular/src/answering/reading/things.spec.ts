import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { QueryResult } from '../../query/query-messages.js';
import type { AskedColumn, AskedTable } from '../asked-table.js';
import { amongText, thingsText } from './clarification.js';
import { factStatements } from './facts.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';
import { readAnswer } from './wording.js';

const column = (name: string, type: AskedColumn['type'], values: string[] = []): AskedColumn => ({
  name,
  originalName: name,
  type,
  nullable: true,
  values,
});

const sales: AskedTable = {
  alias: 'sales',
  name: 'sales',
  sheet: null,
  uid: 'u',
  filename: 'sales.csv',
  rowCount: 5,
  columns: [
    column('product', 'text', ['Alpha', 'Beta', 'Gamma']),
    column('region', 'text', ['North', 'South']),
    column('country', 'text', ['Austria', 'Japan']),
    column('continent', 'text', ['Europe', 'Asia']),
    column('units', 'integer'),
    column('price', 'number'),
  ],
  sample: [],
  range: 'A1:F6',
  firstRow: 2,
  contiguous: true,
};

async function runOn(connection: DuckDBConnection, sql: string): Promise<QueryResult> {
  const rows = (await connection.runAndReadAll(sql)).getRowsJson() as QueryResult['rows'];
  return { columns: [], rows, truncated: false, durationMs: 1 };
}

/** The result, and what must be said beside it. */
async function askOf(connection: DuckDBConnection, table: AskedTable, question: string) {
  const { reading } = readQuestion(question, [table], []);
  if (reading?.kind !== 'query') throw new Error(`It was not read: ${question}`);
  const result = await runOn(connection, readingSql(reading));
  const { statements, read } = factStatements(reading);
  const facts = read(result, await Promise.all(statements.map((sql) => runOn(connection, sql))));
  return { reading, result, facts };
}

describe('conditions on things that have several rows', () => {
  let connection: DuckDBConnection;
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(`CREATE TABLE sales AS SELECT * FROM (VALUES
      ('Alpha', 'North', 'Austria', 'Europe', 200, 3.5), ('Alpha', 'South', 'Japan', 'Asia', 150, 3.5),
      ('Beta', 'South', 'Austria', 'Europe', 20, 9.0), ('Gamma', 'North', 'Japan', 'Asia', 400, 20.0),
      ('Gamma', 'South', 'Japan', 'Asia', NULL, 20.0)) AS t(product, region, country, continent, units, price)`);
  });
  afterAll(() => connection.closeSync());

  const ask = (question: string) => askOf(connection, sales, question);

  it.each([
    ['products not in the North', ['Alpha', 'Beta', 'Gamma'], ['Beta']],
    ['products without North', ['Alpha', 'Beta', 'Gamma'], ['Beta']],
    ['which products are not in North', ['Alpha', 'Beta', 'Gamma'], ['Beta']],
    ['products with more than 300 units', ['Gamma'], ['Alpha', 'Gamma']],
    ['products with fewer than 180 units', ['Alpha', 'Beta'], ['Beta']],
  ])('%s: asked back', async (question, ofRows, asWhole) => {
    const { result, facts } = await ask(question);
    expect(result.rows.flat()).toEqual(ofRows);
    expect(facts.things?.flat()).toEqual(asWhole);
  });

  it.each([
    'countries not in Europe',
    'products in the North',
    'products with a price over 5',
    'products with more than 500 units',
  ])('%s: answered, as both ways lead to the same', async (question) => {
    expect((await ask(question)).facts.things).toBeNull();
  });

  it('counts them both ways', async () => {
    const { result, facts } = await ask('how many products are not in the North');
    expect([result.rows.flat().map(Number), facts.things?.flat().map(Number)]).toEqual([[3], [1]]);
  });

  it('says what either way leads to', async () => {
    const none = await ask('products not in the North');
    expect(thingsText(none.reading, none.result, none.facts, 'en')).toBe(
      'The answer depends on how it is reckoned; which one do you mean?\n\n' +
        '- different values of “product” of table “sales” where not (“region” = North): **Alpha, Beta, Gamma**\n' +
        '- different values of “product” of table “sales” with 0 rows (“region” = North): **Beta**',
    );
    const more = await ask('products with more than 300 units');
    expect(thingsText(more.reading, more.result, more.facts, 'de')).toMatch(
      /Summe von “units” > 300: \*\*Alpha, Gamma\*\*$/,
    );
  });
});

describe('cells that name several things', () => {
  const channels = ['Email', 'Email; Phone', 'Phone', 'Phone; chat'];
  const survey: AskedTable = {
    ...sales,
    alias: 'survey',
    columns: [{ ...column('channels', 'text', channels), complete: true }, column('score', 'integer')],
  };
  let connection: DuckDBConnection;
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(`CREATE TABLE survey AS SELECT * FROM (VALUES ('Email', 4), ('Email; Phone', 2), ('Phone', 1),
      ('Phone; chat', 3), ('Emails', 5), (NULL, 1)) AS t(channels, score)`);
  });
  afterAll(() => connection.closeSync());

  const ask = async (question: string) => {
    const asked = await askOf(connection, survey, question);
    return { ...asked, text: amongText(asked.reading, asked.result, asked.facts, 'en') };
  };

  it('asks back, with what the cells alone and those with others lead to', async () => {
    const { text } = await ask('how many rows with channels Email');
    expect(text).toMatch(/where “channels” = Email: \*\*1\*\*\n/);
    expect(text).toMatch(/where “channels” contains “Email”: \*\*2\*\*$/);
    const not = await ask('average score where channels is not Phone');
    expect(not.facts.among?.flat()).toEqual([10 / 3]);
  });

  it('answers where both lead to the same, or a word of the cell was asked for', async () => {
    expect((await ask('how many rows with channels "Phone; chat"')).facts.among).toBeNull();
    expect((await ask('how many rows where channels contains "Email"')).facts.among).toBeNull();
  });

  it('says that combinations are counted', async () => {
    const { reading, result, facts } = await ask('how many different channels');
    const columns: QueryResult['columns'] = [{ name: 'count_channels', type: 'integer' }];
    expect(readAnswer(reading, { ...result, columns }, facts, 'en')).toContain(
      'Some cells of “channels” name several values',
    );
  });
});
