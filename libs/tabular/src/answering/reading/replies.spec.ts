import type { AskedTable } from '../asked-table.js';
import { column, filledColumn, tableOf } from './asked-table.spec-support.js';
import { choicesOf, rivalsText } from './clarification.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const REGION = filledColumn('Region', 'text', { values: ['North', 'South'], complete: true, unique: false });
const orders = tableOf('orders', [
  filledColumn('Order', 'integer', { unique: true, numbers: true }),
  filledColumn('Customer', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: false }),
  REGION,
  filledColumn('Status', 'text', { values: ['open', 'paid'], complete: true, unique: false }),
  filledColumn('Date', 'date', { span: ['2025-01-01', '2026-11-20'], unique: false }),
  filledColumn('Quantity', 'integer'),
  filledColumn('Amount', 'number'),
]);
const staff = tableOf('staff', [
  filledColumn('Name', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: true }),
  REGION,
  filledColumn('Hired', 'date', { span: ['2015-01-01', '2026-10-01'] }),
  column('Due', 'date', { span: ['2015-01-01', '2026-11-01'] }),
  filledColumn('Salary', 'number', { span: [10, 9000] }),
  filledColumn('Tax', 'number', { span: [1, 900] }),
]);

/** What is read of the last of them. */
function readingOf(table: AskedTable, ...turns: string[]) {
  const history = turns.slice(0, -1).map((question) => ({ question, sql: null, answer: '' }));
  return readQuestion(turns.at(-1)!, [table], history, '2026-11-30');
}

function sqlOf(table: AskedTable, ...turns: string[]): string | null {
  const { reading } = readingOf(table, ...turns);
  return reading?.kind === 'query' ? readingSql(reading) : (reading?.kind ?? null);
}

describe('a reply to what was asked back', () => {
  it.each([
    [staff, 'staff over 500', 'Salary', 'SELECT * FROM "staff" WHERE "Salary" > 500'],
    [staff, 'staff over 500', 'Tax', 'SELECT * FROM "staff" WHERE "Tax" > 500'],
    [staff, 'salary by region', 'average Salary', 'SELECT "Region", avg("Salary")'],
    [staff, 'salary by region', 'total Salary', 'SELECT "Region", sum("Salary")'],
    [staff, 'salary by region', 'highest Salary', 'SELECT "Region", max("Salary")'],
    [staff, 'staff before 2020', 'Hired', `WHERE "Hired" < DATE '2020-01-01'`],
    [staff, 'staff before 2020', 'Due', `WHERE "Due" < DATE '2020-01-01'`],
    [orders, 'best customers', 'total Amount', 'SELECT "Customer", sum("Amount")'],
    [orders, 'best customers', 'number of rows', 'SELECT "Customer", count(*)'],
    [orders, 'top 3 customers', 'total Quantity', 'DESC NULLS LAST, 1 LIMIT 3'],
    [orders, 'amount in March', 'March 2025', `"Date" >= DATE '2025-03-01' AND "Date" < DATE '2025-04-01'`],
    [orders, 'average amount per month', '1', 'SELECT sum("Amount") / count(DISTINCT'],
    [
      orders,
      'average amount per month',
      '2',
      'SELECT CAST(date_trunc(\'month\', "Date") AS DATE) AS "month", avg("Amount")',
    ],
    [
      orders,
      'percentage of open orders by region',
      '100 % = “Region”',
      `100.0 * count(*) FILTER (WHERE "Status" = 'open')`,
    ],
    [orders, 'percentage of open orders by region', 'the first', `WHERE "Status" = 'open' GROUP BY 1`],
    [orders, 'orders on 03/04/2026', '2026-04-03', `"Date" >= DATE '2026-04-03' AND "Date" < DATE '2026-04-04'`],
  ])('%#: %s', (table, question, reply, sql) => {
    expect(sqlOf(table, question)).toBe('unclear');
    expect(sqlOf(table, question, reply)).toContain(sql);
  });

  it.each([
    'Salary',
    'salary',
    'Salary.',
    '"Salary"',
    '“Salary”',
    'the salary',
    'by salary please',
    'I mean Salary',
    'the first',
    '1',
    '1st',
  ])('may be said as %s', (reply) => {
    expect(sqlOf(staff, 'staff over 500', reply)).toBe('SELECT * FROM "staff" WHERE "Salary" > 500');
  });

  it('may name rows as they are called', () => {
    for (const reply of ['number of orders', 'by number of orders', 'number'])
      expect(sqlOf(orders, 'best customers', reply)).toContain('SELECT "Customer", count(*)');
  });

  it('may say a part of a choice that no other has', () => {
    expect(sqlOf(staff, 'salary by region', 'average')).toContain('avg("Salary")');
    expect(sqlOf(orders, 'amount in March', '2026')).toContain(`DATE '2026-03-01'`);
    // Both are of the amount, or of the salary.
    expect(sqlOf(staff, 'salary by region', 'salary')).not.toContain('"Region"');
  });

  it('is asked on where more is unclear', () => {
    expect(sqlOf(orders, 'orders from March', 'since March')).toBe('unclear');
    expect(sqlOf(orders, 'orders from March', 'since March', 'March 2026')).toContain(`"Date" >= DATE '2026-03-01'`);
    expect(sqlOf(orders, 'orders from March', 'in March', 'March 2026')).toContain(`AND "Date" < DATE '2026-04-01'`);
  });

  it('holds for what goes on with the question', () => {
    expect(sqlOf(staff, 'salary by region', 'average Salary', 'only in North')).toContain(
      `avg("Salary") AS "avg_Salary" FROM "staff" WHERE "Region" = 'North'`,
    );
    // Said again, it means the same.
    expect(sqlOf(staff, 'staff over 500', 'Tax', 'staff over 500 in North')).toContain('"Tax" > 500');
  });

  it('chooses of ways that lead to different answers', () => {
    const houses = tableOf('houses', [
      filledColumn('City', 'text', { values: ['Oslo', 'Bern'], complete: true, unique: false }),
      filledColumn('Price', 'number'),
    ]);
    const question = 'which city has the highest price';
    const read = readQuestion(question, [houses], [], null);
    if (read.reading?.kind !== 'query') throw new Error('it was not read');
    expect(read.reading.rivals).toEqual(['avg']);
    const none = { rows: [], columns: [], truncated: false, durationMs: 0 };
    const facts = { matched: 1, filled: 1, alone: [], tied: [], largest: null, things: null, among: null };
    const answer = rivalsText(read.reading, none, { ...facts, rivals: [{ aggregate: 'avg', rows: [] }] }, 'en');
    const then = (reply: string, told: string) => {
      const past = [{ question, sql: 'SELECT 1', answer: told }];
      const { reading } = readQuestion(reply, [houses], past, null);
      return reading?.kind === 'query' ? [readingSql(reading), reading.rivals.length] : null;
    };
    for (const reply of ['average', 'the second', 'the average price'])
      expect(then(reply, answer)).toEqual([expect.stringContaining('SELECT "City", avg("Price")'), 0]);
    expect(then('the first', answer)).toEqual([expect.stringContaining('SELECT "City", max("Price")'), 0]);
    // Where all ways led to one answer, nothing was asked.
    expect(then('average price', '**Oslo**')).toEqual(['SELECT avg("Price") AS "avg_Price" FROM "houses"', 0]);
  });

  it('may be followed by another of the choices', () => {
    const history = [
      { question: 'salary by region', sql: null, answer: '' },
      { question: 'average Salary', sql: 'SELECT 1', answer: '' },
    ];
    const { reading } = readQuestion('total Salary', [staff], history, null);
    expect(reading?.kind === 'query' && readingSql(reading)).toContain('"Region", sum("Salary")');
    const { reading: other } = readQuestion('total tax', [staff], history, null);
    expect(other?.kind === 'query' && readingSql(other)).toBe('SELECT sum("Tax") AS "sum_Tax" FROM "staff"');
  });

  it('is none where it asks for more, or nothing was asked back', () => {
    expect(sqlOf(orders, 'best customers', 'total amount by region')).toBe(
      'SELECT "Region", sum("Amount") AS "sum_Amount" FROM "orders" GROUP BY 1 ORDER BY "sum_Amount" DESC NULLS LAST, 1',
    );
    expect(sqlOf(orders, 'how many orders', 'total Amount')).toBe('SELECT sum("Amount") AS "sum_Amount" FROM "orders"');
    expect(sqlOf(orders, 'best customers', 'how many orders')).toBe('SELECT count(*) AS "count" FROM "orders"');
  });

  it('does not hold for what needs no choice', () => {
    expect(sqlOf(staff, 'staff before 2020', 'Due', 'staff hired before 2020')).toContain('"Hired" <');
    expect(sqlOf(staff, 'staff over 500', 'Tax', 'staff over 700')).toBe('unclear');
  });

  it('may be in the language of the question', () => {
    const table = tableOf('bestellungen', [
      filledColumn('Bestellung', 'integer', { unique: true, numbers: true }),
      filledColumn('Kunde', 'text', { values: ['Ann Lee'], complete: true, unique: false }),
      filledColumn('Gehalt', 'number'),
    ]);
    const { reading, language } = readingOf(table, 'Gehalt nach Kunde');
    if (reading?.kind !== 'unclear') throw new Error('it was not asked back');
    const shown = choicesOf(reading, language);
    expect(language).toBe('de');
    expect(shown[0]).not.toBe(reading.choices[0]);
    for (const reply of [shown[0]!, 'das erste', 'erstes', choicesOf(reading, 'fr')[0]!])
      expect(sqlOf(table, 'Gehalt nach Kunde', reply)).toContain('"Kunde", avg("Gehalt")');
  });

  it('chooses a table', () => {
    const [one, other] = ['one', 'other'].map((alias) => tableOf(alias, [filledColumn('Amount', 'number')]));
    const asked = readQuestion('total amount', [one!, other!], [], null);
    expect(asked.reading).toMatchObject({ kind: 'unclear', what: 'table', choices: ['one', 'other'] });
    const history = [{ question: 'total amount', sql: null, answer: '' }];
    const { reading } = readQuestion('other', [one!, other!], history, null);
    expect(reading?.kind === 'query' && reading.table.alias).toBe('other');
  });

  it('that cannot be used is refused, and not asked again', () => {
    const table = tableOf('regions', [
      filledColumn('Name', 'text', { values: ['North'], complete: true, unique: true }),
      filledColumn('GDP', 'number'),
      filledColumn('Area', 'number'),
    ]);
    expect(sqlOf(table, 'GDP of the smallest region')).toBe('unclear');
    const { reading, unknown } = readingOf(table, 'GDP of the smallest region', 'Area');
    expect(reading).toBeNull();
    expect(unknown).toEqual([]);
  });

  it('may be of all rows of a thing', () => {
    const [, ...columns] = orders.columns;
    const lines = tableOf('lines', [filledColumn('order_id', 'integer', { unique: false }), ...columns]);
    expect(sqlOf(lines, 'orders with more than 5 items')).toBe('unclear');
    expect(sqlOf(lines, 'orders with more than 5 items', 'Quantity')).toContain('"Quantity" > 5');
    expect(sqlOf(lines, 'orders with more than 5 items', 'total Quantity')).toBe(
      'SELECT "order_id", sum("Quantity") AS "sum_Quantity" FROM "lines" GROUP BY 1 HAVING "sum_Quantity" > 5 AND "order_id" IS NOT NULL ORDER BY "sum_Quantity" DESC NULLS LAST, 1',
    );
    expect(sqlOf(lines, 'how many orders have more than 5 items', 'total Quantity')).toMatch(
      /^SELECT count\(\*\) AS "count" FROM \(SELECT "order_id", sum\("Quantity"\)/,
    );
  });
});
