import { column, filledColumn, tableOf } from './asked-table.spec-support.js';
import { describe as describeReading } from './describe.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const CUSTOMER = filledColumn('customer', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: false });
const DATE = filledColumn('date', 'date', { span: ['2025-01-01', '2026-11-20'], unique: false });
const REGION = column('region', 'text', { values: ['North', 'South'], complete: true, unique: false });
const orders = tableOf('orders', [
  filledColumn('order_id', 'integer', { unique: true, numbers: true }),
  CUSTOMER,
  REGION,
  DATE,
  filledColumn('amount', 'number'),
]);
const lines = tableOf('order_lines', [
  filledColumn('order_id', 'integer', { unique: false }),
  filledColumn('product', 'text', { values: ['Mug', 'Lamp'], complete: true, unique: false }),
  CUSTOMER,
  filledColumn('quantity', 'integer'),
  filledColumn('revenue', 'number'),
  DATE,
]);
const days = tableOf('traffic', [
  filledColumn('date', 'date', { unique: true, span: ['2026-01-01', '2026-11-29'] }),
  filledColumn('visitors', 'integer'),
  filledColumn('population', 'integer'),
]);

function sqlOf(question: string, table = orders): string | null {
  const { reading } = readQuestion(question, [table], [], '2026-11-30');
  return reading?.kind === 'query' ? readingSql(reading) : null;
}

const MONTHS = `count(DISTINCT CAST(date_trunc('month', "date") AS DATE))`;

describe('what each comes to, on average', () => {
  it.each([
    'average number of orders per customer',
    'average orders per customer',
    'how many orders per customer on average',
    'mean number of orders by customer',
  ])('%s: all of them by how many customers there are', (question) => {
    expect(sqlOf(question)).toBe('SELECT count(*) / count(DISTINCT "customer") AS "avg_count" FROM "orders"');
  });

  it('leaves out rows that tell nobody', () => {
    expect(sqlOf('average number of orders per region')).toBe(
      'SELECT count(*) / count(DISTINCT "region") AS "avg_count" FROM "orders" WHERE "region" IS NOT NULL',
    );
  });

  it.each([
    ['average monthly amount', ''],
    ['average monthly amount in 2026', ` WHERE "date" >= DATE '2026-01-01' AND "date" < DATE '2027-01-01'`],
  ])('%s', (question, where) => {
    expect(sqlOf(question)).toBe(
      `SELECT sum("amount") / ${MONTHS} FILTER (WHERE "amount" IS NOT NULL) AS "avg_amount" FROM "orders"${where}`,
    );
  });

  it('counts by other groups', () => {
    expect(sqlOf('average monthly amount by customer')).toContain(`"customer", sum("amount") / ${MONTHS}`);
  });

  it.each([
    ['average revenue per order', 'sum("revenue") / count(DISTINCT "order_id")'],
    ['average number of items per order', 'sum("quantity") / count(DISTINCT "order_id")'],
    ['average number of lines per order', 'count(*) / count(DISTINCT "order_id")'],
    ['average number of products per order', 'count(DISTINCT ("order_id", "product"))'],
    ['average number of orders per customer', 'count(DISTINCT ("customer", "order_id"))'],
  ])('of lines, %s', (question, figure) => {
    expect(sqlOf(question, lines)).toContain(figure);
    expect(sqlOf(question, lines)).not.toContain('GROUP BY');
  });

  it.each(['average order value', 'what is the average order value', 'average order total'])(
    'of lines, %s',
    (question) => {
      expect(sqlOf(question, lines)).toBe(
        'SELECT sum("revenue") / count(DISTINCT "order_id") FILTER (WHERE "revenue" IS NOT NULL) AS "avg_revenue" FROM "order_lines"',
      );
      expect(sqlOf(question)).toBe('SELECT avg("amount") AS "avg_amount" FROM "orders"');
      expect(sqlOf(`${question} by customer`, lines)).toContain('GROUP BY 1');
    },
  );

  // What an order comes to is no condition on a line, and no figure of one.
  it.each([
    'orders with an order value over 100',
    'highest order value',
    'order value',
    'order value of Ann Lee',
    'average order size',
    'average monthly order value',
    'which customer has the highest average order value',
  ])('of lines, %s is refused or asked back', (question) => {
    expect(sqlOf(question, lines)).toBeNull();
  });

  it('is the average of rows where each is one', () => {
    expect(sqlOf('average amount per order')).toBe('SELECT avg("amount") AS "avg_amount" FROM "orders"');
    for (const question of ['average visitors per day', 'average daily visitors'])
      expect(sqlOf(question, days)).toBe('SELECT avg("visitors") AS "avg_visitors" FROM "traffic"');
  });

  it('is that of the rows in each where no total is meant', () => {
    for (const question of ['average amount per customer', 'average amount by month'])
      expect(sqlOf(question)).toContain('avg("amount") AS "avg_amount" FROM "orders" GROUP BY 1');
  });

  it('asks back where both may be meant', () => {
    const { reading } = readQuestion('average amount per month', [orders], [], '2026-11-30');
    if (reading?.kind !== 'unclear') throw new Error('it was read in one way');
    expect(reading.readings?.map((way) => describeReading(way, 'en'))).toEqual([
      'average of (sum of “amount” by month (“date”)) of table “orders”',
      'average of “amount” of table “orders” by month (“date”)',
    ]);
  });

  it.each([
    ['average number of orders per order', orders],
    ['average number of orders per weekday', orders],
    ['average number of amounts per customer', orders],
  ])('%s is refused', (question, table) => {
    expect(sqlOf(question, table)).toBeNull();
  });

  it('does not add up what there is on each day', () => {
    for (const question of ['average monthly population', 'highest monthly population'])
      expect(String(sqlOf(question, days))).not.toContain('sum(');
  });

  it('finds the month of the highest total', () => {
    expect(sqlOf('highest monthly amount')).toBe(
      `SELECT CAST(date_trunc('month', "date") AS DATE) AS "month", sum("amount") AS "sum_amount" FROM "orders" GROUP BY 1 ORDER BY "sum_amount" DESC NULLS LAST, 1 LIMIT 1`,
    );
    expect(sqlOf('lowest daily amount')).toContain('ORDER BY "sum_amount" ASC');
  });
});

it('counts remarks, of which two may be the same', () => {
  const table = tableOf('survey', [REGION, column('comments', 'text'), DATE]);
  expect(sqlOf('how many comments', table)).toBe(
    'SELECT count(*) AS "count" FROM "survey" WHERE "comments" IS NOT NULL',
  );
  expect(sqlOf('how many different comments', table)).toContain('count(DISTINCT "comments")');
  expect(sqlOf('average number of comments per region', table)).toBeNull();
});
