import { filledColumn, tableOf } from './asked-table.spec-support.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const orders = tableOf('orders', [
  filledColumn('order', 'integer', { unique: true, numbers: true }),
  filledColumn('customer', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: false }),
  filledColumn('region', 'text', { values: ['North', 'South'], complete: true, unique: false }),
  filledColumn('status', 'text', { values: ['open', 'paid'], complete: true, unique: false }),
  filledColumn('amount', 'number'),
]);

function sqlOf(...turns: string[]): string | null {
  const history = turns.slice(0, -1).map((question) => ({ question, sql: 'SELECT 1', answer: '' }));
  const { reading } = readQuestion(turns.at(-1)!, [orders], history, '2026-11-30');
  return reading?.kind === 'query' ? readingSql(reading) : (reading?.kind ?? null);
}

const NORTH = `"orders" WHERE "region" = 'North'`;

describe('what goes on with a question', () => {
  it.each([
    ['how many of them are open', `SELECT count(*) AS "count" FROM ${NORTH} AND "status" = 'open'`],
    ['of those, how many are open', `SELECT count(*) AS "count" FROM ${NORTH} AND "status" = 'open'`],
    ['which of them are open', `SELECT * FROM ${NORTH} AND "status" = 'open'`],
    ['how many of them', `SELECT count(*) AS "count" FROM ${NORTH}`],
    ['list them', `SELECT * FROM ${NORTH}`],
    ['total amount of them', `SELECT sum("amount") AS "sum_amount" FROM ${NORTH}`],
    ['what is their total amount', `SELECT sum("amount") AS "sum_amount" FROM ${NORTH}`],
  ])('orders in North: %s', (question, sql) => {
    expect(sqlOf('orders in North', question)).toBe(sql);
  });

  it.each([
    ['how many orders in North', 'which of them are open', `SELECT * FROM ${NORTH} AND "status" = 'open'`],
    [
      'average amount in North',
      'how many of them are open',
      `SELECT count(*) AS "count" FROM ${NORTH} AND "status" = 'open'`,
    ],
    ['how many customers in North', 'list them', `SELECT DISTINCT "customer" FROM ${NORTH} ORDER BY 1`],
  ])('%s: %s', (first, question, sql) => {
    expect(sqlOf(first, question)).toBe(sql);
  });

  it.each(['and how many orders', 'now the number of orders', 'without open orders', 'without Bob Ray'])(
    'total amount by customer: %s keeps the customers',
    (question) => {
      expect(sqlOf('total amount by customer', question)).toMatch(/^SELECT "customer", .* GROUP BY 1 /);
    },
  );

  it('does not know of which groups', () => {
    for (const first of ['orders by customer', 'top 3 customers by amount', 'percentage of open orders'])
      expect(sqlOf(first, 'how many of them are open')).toBeNull();
  });

  it('does not take lines for what they are of', () => {
    const [, ...columns] = orders.columns;
    const lines = tableOf('lines', [filledColumn('order_id', 'integer', { unique: false }), ...columns]);
    const read = (...turns: string[]) => {
      const history = turns.slice(0, -1).map((question) => ({ question, sql: 'SELECT 1', answer: '' }));
      const { reading } = readQuestion(turns.at(-1)!, [lines], history, null);
      return reading?.kind === 'query' ? readingSql(reading) : (reading?.kind ?? null);
    };
    expect(read('how many orders in North', 'how many of them are open')).toContain('count(DISTINCT "order_id")');
    expect(read('how many orders in North', 'what is their total amount')).toContain(`sum("amount")`);
    for (const first of ['total amount in North', 'average amount in North'])
      expect(read('how many orders in North', first, 'how many of them are open')).toBeNull();
    for (const first of ['top 3 customers by amount', 'which customer has the highest total amount'])
      expect(read(first, 'by number of orders')).toBeNull();
  });

  it('says nothing without anything before it', () => {
    for (const question of [
      'how many of them are open',
      'list them',
      'total amount of them',
      'what is their total amount',
    ])
      expect(sqlOf(question)).toBeNull();
  });

  it('is no part of a question that stands by itself', () => {
    expect(String(sqlOf('orders in North', 'customers and their region'))).not.toContain('North');
    expect(sqlOf('orders in North', 'how many orders')).toBe('SELECT count(*) AS "count" FROM "orders"');
  });

  it.each([
    ['wie viele davon sind open', 'how many orders in North'],
    ['combien d’entre eux sont open', 'how many orders in North'],
    ['cuántos de ellos son open', 'how many orders in North'],
    ['quanti di questi sono open', 'how many orders in North'],
    ['quantos deles são open', 'how many orders in North'],
    ['hoeveel daarvan zijn open', 'how many orders in North'],
  ])('%s', (question, first) => {
    expect(sqlOf(first, question)).toBe(`SELECT count(*) AS "count" FROM ${NORTH} AND "status" = 'open'`);
  });

  const dated = tableOf('orders', [...orders.columns, filledColumn('date', 'date')]);

  it.each([
    ['total amount of this month', '11-01'],
    ['total amount of these last 30 days', '11-01'],
    ['Summe amount von diesem Monat', '11-01'],
    ['Summe amount von diesen letzten 30 Tagen', '11-01'],
    ['Summe amount über die letzten 30 Tage', '11-01'],
    ['total de amount de ce mois', '11-01'],
    ['total de amount de ces 30 derniers jours', '11-01'],
    ['total de amount de este mes', '11-01'],
    ['total de amount de estos últimos 30 días', '11-01'],
    ['totale di amount di questo mese', '11-01'],
    ['totale di amount di questi ultimi 30 giorni', '11-01'],
    ['total de amount deste mês', '11-01'],
    ['total de amount desta semana', '11-30'],
    ['total de amount destes últimos 30 dias', '11-01'],
    ['totale amount van deze maand', '11-01'],
    ['totale amount van deze week', '11-30'],
    ['totale amount van deze afgelopen 30 dagen', '11-01'],
    ['totale amount over de laatste 30 dagen', '11-01'],
  ])('is told from what is said of a time: %s', (question, from) => {
    const { reading } = readQuestion(question, [dated], [], '2026-11-30');
    const sql = reading?.kind === 'query' ? readingSql(reading) : null;
    expect(sql).toMatch(`SELECT sum("amount") AS "sum_amount" FROM "orders" WHERE "date" >= DATE '2026-${from}'`);
  });
});
