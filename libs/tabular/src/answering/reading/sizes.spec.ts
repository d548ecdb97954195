import type { AskedTable } from '../asked-table.js';
import { filledColumn as column, tableOf } from './asked-table.spec-support.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const orders = tableOf('orders', [
  column('order_id', 'integer', { unique: true, numbers: true }),
  column('customer', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: false }),
  column('region', 'text', { values: ['North', 'South'], complete: true, unique: false }),
  column('order_date', 'date', { span: ['2025-01-01', '2026-11-20'], unique: false }),
  column('amount', 'number', { span: [1, 500] }),
]);
const employees: AskedTable = {
  ...tableOf('employees', [
    column('name', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: true }),
    column('department', 'text', { values: ['Sales', 'IT'], complete: true, unique: false }),
    column('salary', 'number', { span: [1000, 9000] }),
  ]),
  persons: true,
};
const tickets = tableOf('tickets', [
  column('ticket_id', 'integer', { unique: true, numbers: true }),
  column('rating', 'integer', { span: [1, 5] }),
]);

function read(question: string, table: AskedTable) {
  return readQuestion(question, [table], [], '2026-11-30').reading;
}

function sqlOf(question: string, table: AskedTable): string | null {
  const reading = read(question, table);
  return reading?.kind === 'query' ? readingSql(reading) : (reading?.kind ?? null);
}

const BY_AMOUNT = 'SELECT * FROM "orders" ORDER BY "amount" DESC NULLS LAST LIMIT';
const HEADS = 'SELECT "department", count(*) AS "count" FROM "employees" GROUP BY 1 ORDER BY "count"';

describe('the largest', () => {
  it.each([
    ['largest order', `${BY_AMOUNT} 1`],
    ['which order is the biggest', `${BY_AMOUNT} 1`],
    ['the 3 largest orders', `${BY_AMOUNT} 3`],
    ['largest orders', `${BY_AMOUNT} 10`],
    ['top 5 orders', `${BY_AMOUNT} 5`],
    ['smallest order', `${BY_AMOUNT.replace('DESC', 'ASC')} 1`],
    [
      'who placed the largest order',
      'SELECT "customer", "order_date", "amount" FROM "orders" ORDER BY "amount" DESC NULLS LAST LIMIT 1',
    ],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, orders)).toBe(sql);
  });

  it.each([
    ['largest department', `${HEADS} DESC NULLS LAST, 1 LIMIT 1`],
    ['which department is the biggest', `${HEADS} DESC NULLS LAST, 1 LIMIT 1`],
    ['smallest department', `${HEADS} ASC NULLS LAST, 1 LIMIT 1`],
    ['the 2 largest departments', `${HEADS} DESC NULLS LAST, 1 LIMIT 2`],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, employees)).toBe(sql);
  });

  it('is asked back where it may be by several figures, or by none', () => {
    expect(read('largest region', orders)).toMatchObject({ choices: ['number of rows', 'total amount'] });
    const two = { ...orders, columns: [...orders.columns, column('weight', 'number')] };
    expect(read('largest order', two)).toMatchObject({ choices: ['amount', 'weight'] });
    expect(read('largest ticket', tickets)).toMatchObject({ choices: ['rating'] });
    expect(read('top 5 tickets', tickets)).toMatchObject({ choices: ['rating'] });
    const freight = {
      ...orders,
      columns: [...orders.columns.slice(0, 4), column('freight', 'number', { span: [1, 9] })],
    };
    expect(read('who placed the largest order', freight)).toMatchObject({ choices: ['freight'] });
    expect(read('largest employee', employees)).toMatchObject({ choices: ['salary'] });
  });

  it('is still the highest figure where one is named', () => {
    expect(sqlOf('largest amount', orders)).toBe('SELECT max("amount") AS "max_amount" FROM "orders"');
    expect(sqlOf('largest region by amount', orders)).toContain('sum("amount")');
    expect(sqlOf('who has the most orders', orders)).not.toContain('amount');
  });
});
