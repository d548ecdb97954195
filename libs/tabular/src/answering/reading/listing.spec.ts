import type { AskedColumn, AskedTable } from '../asked-table.js';
import { column, tableOf } from './asked-table.spec-support.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const shop = (id: AskedColumn, alias = 'shop'): AskedTable =>
  tableOf(alias, [
    id,
    column('city', 'text', { values: ['Oslo', 'Bergen'], complete: true }),
    column('status', 'text', { values: ['open', 'shipped'], complete: true }),
    column('revenue', 'number'),
    column('order_date', 'date'),
  ]);

function sqlOf(question: string, table: AskedTable): string {
  const { reading } = readQuestion(question, [table], []);
  return reading?.kind === 'query' ? readingSql(reading) : JSON.stringify(reading);
}

const named = (originalName: string, type: AskedColumn['type'], more: Partial<AskedColumn> = {}) =>
  column(originalName === 'Order' ? 'order_' : originalName.toLowerCase().replace(' ', '_'), type, {
    originalName,
    ...more,
  });

describe('a list of what a column numbers', () => {
  const ids = (['integer', 'text'] as const).flatMap((type) =>
    [
      // Few rows may have other numbers by chance; the rows of an order are several.
      { unique: true },
      { unique: true, numbers: true },
      { unique: false },
      {},
    ].flatMap((more) => ['Order', 'Order ID'].map((name) => [name, type, more] as const)),
  );

  it.each(ids)('is of rows, whether it is called %s (%s, %j)', (name, type, more) => {
    for (const alias of ['shop', 'orders']) {
      const table = shop(named(name, type, more), alias);
      for (const question of ['list the orders in Oslo', 'show me all orders in Oslo', 'orders in Oslo'])
        expect(`${alias}: ${sqlOf(question, table)}`).toBe(`${alias}: SELECT * FROM "${alias}" WHERE "city" = 'Oslo'`);
      expect(sqlOf('list all orders', table)).toBe(`SELECT * FROM "${alias}"`);
    }
  });

  it('is of the numbers where these are named, or asked for as such', () => {
    const lines = shop(named('Order ID', 'integer', { unique: false }));
    const numbers = `SELECT DISTINCT "order_id" FROM "shop" WHERE "city" = 'Oslo' ORDER BY 1`;
    expect(sqlOf('which orders are in Oslo?', lines)).toBe(numbers);
    expect(sqlOf('list the different orders in Oslo', lines)).toBe(numbers);
    expect(sqlOf('list the order_id in Oslo', lines)).toBe(numbers);
  });

  it('is of the names where it has such', () => {
    const bought = shop(named('Purchase', 'text', { unique: false, values: ['Pump', 'Valve'], complete: true }));
    expect(sqlOf('list the purchases in Oslo', bought)).toBe(
      `SELECT DISTINCT "purchase" FROM "shop" WHERE "city" = 'Oslo' ORDER BY 1`,
    );
  });
});

describe('what things come to', () => {
  const files = [
    shop(named('Order', 'integer', { unique: true, numbers: true })),
    shop(named('Order', 'integer', { unique: false })),
    shop(named('Order ID', 'text', { unique: false })),
    shop(named('Order', 'text', { unique: true }), 'orders'),
  ];
  const sum = 'sum("revenue") AS "sum_revenue"';

  it.each(files)('is summed up, and said to be', (table) => {
    const from = `FROM "${table.alias}"`;
    for (const question of ['revenue of open orders', 'What is the revenue of open orders?', 'revenue for open orders'])
      expect(sqlOf(question, table)).toBe(`SELECT ${sum} ${from} WHERE "status" = 'open'`);
    expect(sqlOf('sum of revenue of open orders', table)).toBe(`SELECT ${sum} ${from} WHERE "status" = 'open'`);
    expect(sqlOf('revenue of all orders', table)).toBe(`SELECT ${sum} ${from}`);
    expect(sqlOf('revenue of open orders by city', table)).toBe(
      `SELECT "city", ${sum} ${from} WHERE "status" = 'open' GROUP BY 1 ORDER BY "sum_revenue" DESC NULLS LAST, 1`,
    );
    const { reading } = readQuestion('revenue of open orders', [table], []);
    expect(reading).toMatchObject({ assumed: true });
  });

  it('is shown row by row where that is asked for, or where numbers do not add up', () => {
    const [table] = files;
    expect(sqlOf('list the revenue of open orders', table!)).not.toContain('sum');
    expect(sqlOf('show revenue of open orders', table!)).not.toContain('sum');
    expect(sqlOf('open orders with revenue over 100', table!)).toMatch(/^SELECT \* /);
    const priced = { ...table!, columns: [...table!.columns, column('price', 'number')] };
    expect(sqlOf('price of open orders', priced)).not.toContain('sum');
  });

  it('is not what each comes to', () => {
    for (const table of files)
      for (const question of ['revenue per order', 'revenue per orders', 'revenue in order', 'revenue with orders'])
        expect(`${question}: ${sqlOf(question, table)}`).not.toMatch(/SELECT sum/);
  });

  it('is so in German', () => {
    const [id, city, status, revenue, day] = files[0]!.columns;
    const columns = [
      { ...id!, originalName: 'Bestellung' },
      city!,
      status!,
      { ...revenue!, originalName: 'Umsatz' },
      day!,
    ];
    expect(sqlOf('Umsatz der "open" Bestellungen', { ...files[0]!, columns })).toBe(
      `SELECT ${sum} FROM "shop" WHERE "status" = 'open'`,
    );
  });

  it('is no average of rows where an order has several', () => {
    expect(sqlOf('average revenue of open orders', files[1]!)).toBe('null');
  });
});
