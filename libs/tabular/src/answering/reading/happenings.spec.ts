import type { AskedTable } from '../asked-table.js';
import { column, filledColumn, tableOf } from './asked-table.spec-support.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const NAME = filledColumn('name', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: true });
const employees: AskedTable = {
  ...tableOf('employees', [
    filledColumn('employee_id', 'integer', { unique: true, numbers: true }),
    NAME,
    filledColumn('department', 'text', { values: ['Sales', 'IT'], complete: true, unique: false }),
    filledColumn('hire_date', 'date', { span: ['2010-01-01', '2026-10-01'] }),
    column('exit_date', 'date', { span: ['2015-01-01', '2026-11-01'] }),
    filledColumn('age', 'integer', { span: [20, 64] }),
  ]),
  persons: true,
};
const orders = tableOf('orders', [
  filledColumn('order_id', 'integer', { unique: true, numbers: true }),
  filledColumn('customer', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: false }),
  filledColumn('status', 'text', { values: ['open', 'paid'], complete: true, unique: false }),
  filledColumn('order_date', 'date', { span: ['2025-01-01', '2026-11-20'], unique: false }),
  filledColumn('amount', 'number'),
]);
const survey = tableOf('survey', [
  filledColumn('respondent', 'integer', { unique: true, numbers: true }),
  filledColumn('city', 'text', { values: ['Oslo', 'Lima'], complete: true, unique: false }),
  filledColumn('would_recommend', 'text', {
    originalName: 'Would recommend',
    values: ['Yes', 'No'],
    complete: true,
    unique: false,
  }),
]);

function sqlOf(question: string, table = employees): string | null {
  const { reading } = readQuestion(question, [table], [], '2026-11-30');
  return reading?.kind === 'query' ? readingSql(reading) : null;
}

describe('what happened last', () => {
  it.each([
    ['who was hired last', '"name", "hire_date"', 'DESC'],
    ['who was hired first', '"name", "hire_date"', 'ASC'],
    ['who was hired most recently', '"name", "hire_date"', 'DESC'],
    ['who is the newest employee', '"name", "hire_date"', 'DESC'],
    ['when was the last hire', '"name", "hire_date"', 'DESC'],
    ['newest employee', '*', 'DESC'],
    ['latest hire', '*', 'DESC'],
  ])('%s', (question, shown, direction) => {
    expect(sqlOf(question)).toBe(
      `SELECT ${shown} FROM "employees" ORDER BY "hire_date" ${direction} NULLS LAST LIMIT 1`,
    );
  });

  it('of those whose day is known', () => {
    expect(sqlOf('who left last')).toBe(
      'SELECT "name", "exit_date" FROM "employees" WHERE "exit_date" IS NOT NULL ORDER BY "exit_date" DESC NULLS LAST LIMIT 1',
    );
  });

  it.each([
    ['latest hires', 10],
    ['the last 3 hires', 3],
    ['first 5 hires', 5],
    ['latest employees', 10],
  ])('%s', (question, count) => {
    expect(sqlOf(question)).toMatch(new RegExp(`^SELECT \\* .* ORDER BY "hire_date" .* LIMIT ${count}$`));
  });

  it.each([
    ['latest orders', 'DESC NULLS LAST LIMIT 10'],
    ['first orders', 'ASC NULLS LAST LIMIT 10'],
    ['the latest order', 'DESC NULLS LAST LIMIT 1'],
    ['latest orders of Ann Lee', 'DESC NULLS LAST LIMIT 10'],
  ])('%s', (question, order) => {
    expect(sqlOf(question, orders)).toContain(`ORDER BY "order_date" ${order}`);
  });

  it('is not who was there longest, nor what comes last of anything else', () => {
    for (const question of ['oldest hire name', 'who is last', 'last department', 'who earns last'])
      expect(sqlOf(question)).toBeNull();
  });
});

describe('how often something happened', () => {
  it.each([
    ['how many hires per year', 'year("hire_date") AS "year", count(*)'],
    ['number of hires by department', '"department", count(*)'],
    ['hires by department', '"department", count(*)'],
    ['hires per year', 'year("hire_date") AS "year", count(*)'],
    ['exits by month', `date_trunc('month', "exit_date")`],
    ['how many were hired in 2025', `WHERE "hire_date" >= DATE '2025-01-01' AND "hire_date" < DATE '2026-01-01'`],
    ['how many exits', 'WHERE "exit_date" IS NOT NULL'],
  ])('%s', (question, sql) => {
    expect(sqlOf(question)).toContain(sql);
  });
});

it('counts no lines where several may be of one', () => {
  const lines = tableOf('retail', [
    filledColumn('order_id', 'integer', { unique: false }),
    filledColumn('order_date', 'date'),
    filledColumn('return_date', 'date'),
    filledColumn('quantity', 'integer'),
  ]);
  expect(sqlOf('how many orders', lines)).toBe('SELECT count(DISTINCT "order_id") AS "count_order_id" FROM "retail"');
  for (const question of ['how many returns', 'latest returns', 'how many returns by month'])
    expect(sqlOf(question, lines)).toBeNull();
  // Nor are those rows that have numbers elsewhere.
  const sales = tableOf('sales', [
    filledColumn('ship_date', 'date'),
    filledColumn('order_date', 'date'),
    lines.columns[3]!,
  ]);
  expect(sqlOf('how many orders by month', sales)).toBeNull();
});

describe('how many are, and what percentage', () => {
  it.each([
    ['how many are open', `count(*) AS "count" FROM "orders" WHERE "status" = 'open'`],
    ['how many were paid', `count(*) AS "count" FROM "orders" WHERE "status" = 'paid'`],
    ['how many are not paid', `WHERE ("status" = 'paid') IS NOT TRUE`],
    ['what percentage is open', `100.0 * count(*) FILTER (WHERE "status" = 'open') / count(*)`],
    ['what percentage of orders are open', `100.0 * count(*) FILTER (WHERE "status" = 'open') / count(*)`],
    ['which is the busiest month', `CAST(date_trunc('month', "order_date") AS DATE) AS "month", count(*)`],
    ['which month was the busiest', `CAST(date_trunc('month', "order_date") AS DATE) AS "month", count(*)`],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, orders)).toContain(sql);
  });

  it('counts nobody where a row may be of somebody who has others', () => {
    expect(sqlOf('how many are open', tableOf('visits', orders.columns.slice(1)))).toBeNull();
  });

  it.each([
    ['how many would not recommend', `"would_recommend" = 'No'`],
    [`how many wouldn't recommend`, `"would_recommend" = 'No'`],
    ['respondents who would not recommend', `"would_recommend" = 'No'`],
    ['respondents from Oslo who would recommend', `"city" = 'Oslo' AND "would_recommend" = 'Yes'`],
    ['percentage that would recommend', `FILTER (WHERE "would_recommend" = 'Yes')`],
    ['what percentage would not recommend', `FILTER (WHERE "would_recommend" = 'No')`],
    ['share of respondents who would recommend', `FILTER (WHERE "would_recommend" = 'Yes')`],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, survey)).toContain(sql);
  });

  it.each([
    ['percentage of respondents who would not recommend', 'SELECT 100.0 * count(*) FILTER'],
    ['average age of respondents who would recommend', 'SELECT avg("age")'],
    ['median age of respondents', 'SELECT median("age")'],
    ['how many respondents are there', 'SELECT count(*) AS "count" FROM "survey"'],
    ['how many respondents from Oslo', `SELECT count(*) AS "count" FROM "survey" WHERE "city" = 'Oslo'`],
  ])('%s, where their numbers are known by nothing but that none comes twice', (question, sql) => {
    const [, ...columns] = survey.columns;
    const numbered = filledColumn('respondent', 'integer', { unique: true, span: [1, 200] });
    const table = tableOf('survey', [numbered, filledColumn('age', 'integer', { span: [18, 80] }), ...columns]);
    expect(sqlOf(question, table)).toContain(sql);
  });

  it('says nothing of what is not said of rows', () => {
    for (const question of ['percentage', 'what percentage is', 'percentage of yes', 'who would not recommend'])
      expect(sqlOf(question, survey)).toBeNull();
  });
});

const named = (key: string, date: string) =>
  tableOf(`${key}s`, [
    filledColumn(key, 'integer', { unique: true, numbers: true }),
    filledColumn(date, 'date', { span: ['2025-01-01', '2026-11-20'], unique: false }),
  ]);

describe('the last ones in other languages', () => {
  it.each([
    ['bestellung', 'datum', 'die letzte Bestellung', 'DESC NULLS LAST LIMIT 1'],
    ['bestellung', 'datum', 'die letzten Bestellungen', 'DESC NULLS LAST LIMIT 10'],
    ['bestellung', 'datum', 'die letzten 3 Bestellungen', 'DESC NULLS LAST LIMIT 3'],
    ['bestellung', 'datum', 'die erste Bestellung', 'ASC NULLS LAST LIMIT 1'],
    ['commande', 'date', 'la dernière commande', 'DESC NULLS LAST LIMIT 1'],
    ['commande', 'date', 'les 3 dernières commandes', 'DESC NULLS LAST LIMIT 3'],
    ['commande', 'date', 'dernieres commandes', 'DESC NULLS LAST LIMIT 10'],
    ['pedido', 'fecha', 'el último pedido', 'DESC NULLS LAST LIMIT 1'],
    ['pedido', 'fecha', 'los últimos 3 pedidos', 'DESC NULLS LAST LIMIT 3'],
    ['pedido', 'fecha', 'primer pedido', 'ASC NULLS LAST LIMIT 1'],
    ['ordine', 'data', `l'ultimo ordine`, 'DESC NULLS LAST LIMIT 1'],
    ['ordine', 'data', 'gli ultimi ordini', 'DESC NULLS LAST LIMIT 10'],
    ['pedido', 'data', 'os últimos 3 pedidos', 'DESC NULLS LAST LIMIT 3'],
    ['bestelling', 'datum', 'de laatste bestelling', 'DESC NULLS LAST LIMIT 1'],
    ['bestelling', 'datum', 'de laatste 3 bestellingen', 'DESC NULLS LAST LIMIT 3'],
  ])('%s by %s: %s', (key, date, question, order) => {
    expect(sqlOf(question, named(key, date))).toBe(`SELECT * FROM "${key}s" ORDER BY "${date}" ${order}`);
  });

  it('«des» is not «dès»', () => {
    const table = named('commande', 'date');
    const within = `WHERE "date" >= DATE '2026-11-01' AND "date" < DATE '2026-12-01'`;
    expect(sqlOf('les commandes des 30 derniers jours', table)).toContain(within);
    expect(sqlOf('commandes dès 2026', table)).toContain(`"date" >= DATE '2026-01-01'`);
  });
});
