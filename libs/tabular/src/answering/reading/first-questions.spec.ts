import { filledColumn as column, tableOf } from './asked-table.spec-support.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const COLUMNS = [
  column('ticket_id', 'text', { unique: true }),
  column('opened_on', 'date', { span: ['2026-01-01', '2026-11-20'] }),
  column('closed_on', 'date', { nullable: true, span: ['2026-01-02', '2026-11-28'] }),
  column('customer', 'text', { values: ['Acme', 'Globex'], complete: true }),
  column('channel', 'text', { values: ['email', 'phone'], complete: true }),
  column('minutes', 'integer'),
  column('satisfaction', 'integer', { nullable: true }),
];
const tickets = tableOf('tickets', COLUMNS);

function sqlOf(question: string, table = tickets): string | null {
  const { reading } = readQuestion(question, [table], [], '2026-11-30');
  return reading?.kind === 'query' ? readingSql(reading) : (reading && reading.kind) || null;
}

const byChannel = (direction: string) =>
  `SELECT "channel", count(*) AS "count" FROM "tickets" GROUP BY 1 ORDER BY "count" ${direction} NULLS LAST, 1 LIMIT 1`;

describe('what people ask first', () => {
  it.each([
    ['latest ticket', 'DESC NULLS LAST LIMIT 1'],
    ['the most recent ticket', 'DESC NULLS LAST LIMIT 1'],
    ['5 most recent tickets', 'DESC NULLS LAST LIMIT 5'],
    ['the last 5 tickets', 'DESC NULLS LAST LIMIT 5'],
    ['show me the last 5 tickets', 'DESC NULLS LAST LIMIT 5'],
    ['first 3 tickets', 'ASC NULLS LAST LIMIT 3'],
  ])('%s: by the first of their dates', (question, order) => {
    expect(sqlOf(question)).toBe(`SELECT * FROM "tickets" ORDER BY "opened_on" ${order}`);
  });

  it('last rows with a value before their name', () => {
    expect(sqlOf('the last 3 email tickets')).toBe(
      `SELECT * FROM "tickets" WHERE "channel" = 'email' ORDER BY "opened_on" DESC NULLS LAST LIMIT 3`,
    );
  });

  it('last rows of some', () => {
    expect(sqlOf('the last 5 tickets of Acme')).toBe(
      `SELECT * FROM "tickets" WHERE "customer" = 'Acme' ORDER BY "opened_on" DESC NULLS LAST LIMIT 5`,
    );
  });

  it.each([
    'last 5 tickets of each customer',
    'last 5 customers',
    'total minutes of the last 5 tickets',
    'how many of the last 10 tickets were from Acme',
    'last 5 tickets by customer',
    'last 0 tickets',
    'last 2.5 tickets',
  ])('%s is refused', (question) => {
    expect(sqlOf(question)).toBeNull();
  });

  it('the last 10 days are a time, also where each row is one', () => {
    const days = tableOf('days', [
      column('date', 'date', { unique: true, span: ['2026-01-01', '2026-11-20'] }),
      column('rain', 'number'),
    ]);
    expect(sqlOf('show the last 10 days', days)).toContain(`"date" >= DATE '2026-11-21'`);
    expect(sqlOf('tickets opened within the last 10 days')).toContain(`"opened_on" >= DATE '2026-11-21'`);
  });

  it('no last rows without a date', () => {
    expect(sqlOf('last 5 tickets', tableOf('tickets', COLUMNS.slice(3)))).toBeNull();
  });

  it.each([
    ['most popular channel', 'DESC'],
    ['what is the most popular channel?', 'DESC'],
    ['which channel is the most popular', 'DESC'],
    ['least popular channel', 'ASC'],
    ['beliebteste channel', 'DESC'],
    ['channel le plus populaire', null],
    ['quel est le channel le plus populaire', 'DESC'],
    ['qual é o channel mais popular?', 'DESC'],
    ['wat is de populairste channel?', 'DESC'],
  ])('%s: that of the most rows', (question, direction) => {
    expect(sqlOf(question)).toBe(direction && byChannel(direction));
  });

  it.each([
    ['quantity', 'integer', 0],
    ['visitors', 'integer', 0],
    ['votes', 'integer', 0],
    // Of each shop and day, where no row has a number?
    ['revenue', 'number', 1],
  ] as const)('the most popular may be what has the most %s', (name, type, without) => {
    const told = tableOf('tickets', [...COLUMNS.slice(without), column(name, type)]);
    for (const question of ['most popular channel', 'busiest month']) expect(sqlOf(question, told)).toBeNull();
    expect(sqlOf('most common channel', told)).toBe(byChannel('DESC'));
  });

  it('of days none is the busiest, though each has one row', () => {
    const days = tableOf('weather', [column('date', 'date', { unique: true }), ...COLUMNS.slice(3, 5)]);
    expect(sqlOf('busiest month', days)).toBeNull();
  });

  it('the last of those that are done may be the last that were', () => {
    const states = column('status', 'text', { values: ['open', 'closed'], complete: true });
    const table = tableOf('tickets', [states, ...COLUMNS]);
    for (const question of ['last 5 closed tickets', 'the latest closed tickets', 'last 3 open tickets'])
      expect(['unclear', null]).toContain(sqlOf(question, table));
    expect(
      sqlOf('last 5 closed tickets', tableOf('tickets', [states, ...COLUMNS.slice(0, 2), ...COLUMNS.slice(3)])),
    ).toContain(`WHERE "status" = 'closed' ORDER BY "opened_on" DESC`);
  });

  it.each([
    ['busiest month', `CAST(date_trunc('month', "opened_on") AS DATE) AS "month"`],
    ['what is the busiest month?', `CAST(date_trunc('month', "opened_on") AS DATE) AS "month"`],
    ['what was the busiest weekday', `dayname("opened_on") AS "weekday"`],
  ])('%s: that of the most rows', (question, unit) => {
    expect(sqlOf(question)).toBe(
      `SELECT ${unit}, count(*) AS "count" FROM "tickets" GROUP BY 1 ORDER BY "count" DESC NULLS LAST, 1 LIMIT 1`,
    );
  });

  it('of a table of days', () => {
    const days = tableOf('traffic', [
      column('date', 'date', { unique: true, span: ['2026-01-01', '2026-11-29'] }),
      column('visitors', 'integer', { span: [100, 9000] }),
      column('signups', 'integer', { span: [0, 90] }),
      column('avg_seconds', 'integer', { span: [20, 400] }),
      column('subscribers', 'integer', { span: [20, 400] }),
    ]);
    expect(sqlOf('average visitors per day', days)).toBe('SELECT avg("visitors") AS "avg_visitors" FROM "traffic"');
    expect(sqlOf('average visitors by month', days)).toContain('GROUP BY');
    expect(sqlOf('how many signups this month', days)).toBe(
      `SELECT sum("signups") AS "sum_signups" FROM "traffic" WHERE "date" >= DATE '2026-11-01' AND "date" < DATE '2026-12-01'`,
    );
    for (const question of ['how many avg seconds', 'how many subscribers'])
      expect(String(sqlOf(question, days))).not.toContain('sum');
  });

  it('of houses', () => {
    const houses = tableOf('houses', [
      column('address', 'text', { unique: true }),
      column('price', 'number', { span: [1, 900] }),
      column('year_built', 'integer', { span: [1900, 2025] }),
      column('garage', 'boolean'),
      column('listed', 'date', { span: ['2026-01-01', '2026-11-20'] }),
    ]);
    expect(sqlOf('houses with a garage', houses)).toBe('SELECT * FROM "houses" WHERE "garage" = true');
    expect(sqlOf('average price of houses with a garage', houses)).toContain('WHERE "garage" = true');
    expect(sqlOf('houses without a garage', houses)).toBe('SELECT * FROM "houses" WHERE "garage" = false');
    // Listed last, or built last?
    expect(sqlOf('newest house', houses)).toBe('unclear');
    expect(sqlOf('latest house', houses)).toContain('"listed" DESC');
  });

  it('of lines of orders', () => {
    const lines = tableOf('lines', [
      column('order_id', 'integer', { unique: false, span: [1, 90] }),
      column('customer', 'text', { values: ['Acme'], complete: true }),
      column('quantity', 'integer', { span: [1, 20] }),
      column('total', 'number', { span: [1, 900] }),
    ]);
    // Not that with the highest number, and more than five in one of its rows, or in all?
    expect(sqlOf('largest order', lines)).toBeNull();
    expect(sqlOf('orders with more than 5 items', lines)).toBe('unclear');
  });

  it('who is the highest of all', () => {
    const staff = tableOf('employees', [
      column('name', 'text', { unique: true }),
      column('department', 'text', { values: ['Sales'], complete: true }),
      column('salary', 'number', { span: [1, 900] }),
    ]);
    expect(sqlOf('highest paid employee in Sales', staff)).toBe(
      `SELECT * FROM "employees" WHERE "department" = 'Sales' ORDER BY "salary" DESC NULLS LAST LIMIT 1`,
    );
    expect(sqlOf('highest salary', staff)).toBe('SELECT max("salary") AS "max_salary" FROM "employees"');
  });

  it('who has things', () => {
    const loans = tableOf('loans', [
      column('loan_id', 'text', { unique: true, numbers: true }),
      column('member', 'text', { values: ['Ann Lee'], complete: true, unique: false }),
      column('book', 'text', { values: ['Dune'], complete: true, unique: false }),
      column('genre', 'text', { values: ['Classic'], complete: true, unique: false }),
    ]);
    expect(sqlOf('who has classic books', loans)).toBe(
      `SELECT DISTINCT "member" FROM "loans" WHERE "genre" = 'Classic' ORDER BY 1`,
    );
    expect(sqlOf('who has Dune', loans)).toBe(`SELECT DISTINCT "member" FROM "loans" WHERE "book" = 'Dune' ORDER BY 1`);
  });

  it('in the order of a figure, and in units', () => {
    const countries = tableOf('countries', [
      column('country', 'text', { unique: true }),
      column('population', 'integer', { span: [1, 900_000_000] }),
      column('age', 'integer', { span: [1, 90] }),
      column('consumption_kwh', 'number', { span: [1, 90] }),
      column('day', 'date', { span: ['2026-01-01', '2026-11-01'] }),
    ]);
    expect(sqlOf('countries by population', countries)).toBe(
      'SELECT * FROM "countries" ORDER BY "population" DESC NULLS LAST',
    );
    expect(sqlOf('countries by age', countries)).toContain('GROUP BY');
    expect(sqlOf('consumption by month', countries)).toContain('GROUP BY');
  });

  describe('things over a number', () => {
    const figures = [
      column('city', 'text', { values: ['Oslo'], complete: true }),
      column('amount', 'number', { span: [1, 900] }),
    ];
    const orders = tableOf('sales', [
      column('Order', 'integer', { unique: true, span: [1, 400], numbers: true }),
      ...figures,
    ]);
    const respondents = tableOf('survey', [
      column('Respondent', 'integer', { unique: true, span: [1, 400] }),
      column('age', 'integer', { span: [18, 80] }),
      column('rating', 'integer', { span: [1, 5] }),
    ]);

    it('are not those with higher numbers', () => {
      expect(sqlOf('total amount of orders over 100', orders)).toBe(
        'SELECT sum("amount") AS "sum_amount" FROM "sales" WHERE "amount" > 100',
      );
      expect(sqlOf('average amount of orders between 10 and 50', orders)).toBe(
        'SELECT avg("amount") AS "avg_amount" FROM "sales" WHERE "amount" >= 10 AND "amount" <= 50',
      );
    });

    it.each([
      ['orders over 100', tableOf('sales', [...orders.columns, column('quantity', 'integer', { span: [1, 200] })])],
      ['average rating of respondents over 60', respondents],
      ['how many respondents are over 60', respondents],
    ])('%s: over 100 of what?', (question, table) => {
      expect(sqlOf(question, table)).toBe('unclear');
    });
  });

  it('the average per row is that of the column', () => {
    expect(sqlOf('average minutes per ticket')).toBe('SELECT avg("minutes") AS "avg_minutes" FROM "tickets"');
    expect(sqlOf('average minutes per ticket by channel')).toBe(
      'SELECT "channel", avg("minutes") AS "avg_minutes" FROM "tickets" GROUP BY 1 ORDER BY "avg_minutes" DESC NULLS LAST, 1',
    );
  });

  it.each([
    // Of all tickets, or of those that were rated?
    'average satisfaction per ticket',
    'minutes per ticket',
    'total minutes per ticket',
    'highest minutes per ticket',
    'average minutes by ticket',
    'tickets per ticket',
  ])('%s is refused', (question) => {
    expect(sqlOf(question)).toBeNull();
  });
});

describe('superlatives without what they are said of', () => {
  const staff = tableOf('staff', [
    column('name', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: true }),
    column('department', 'text', { values: ['Sales', 'IT'], complete: true, unique: false }),
    column('age', 'integer', { span: [20, 60] }),
  ]);

  it.each([
    ['who is the youngest in IT', `SELECT "name", "age" FROM "staff" WHERE "department" = 'IT' ORDER BY "age" ASC`],
    [
      'who is the oldest in Sales',
      `SELECT "name", "age" FROM "staff" WHERE "department" = 'Sales' ORDER BY "age" DESC`,
    ],
    ['the youngest in IT', `SELECT * FROM "staff" WHERE "department" = 'IT' ORDER BY "age" ASC`],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, staff)).toBe(`${sql} NULLS LAST LIMIT 1`);
  });
});

describe('rows that are called like their names', () => {
  const inventory = tableOf('inventory', [
    column('product', 'text', { values: ['Mug', 'Lamp'], complete: true, unique: true }),
    column('supplier', 'text', { values: ['Acme', 'Beta'], complete: true, unique: false }),
    column('added', 'date', { span: ['2025-01-01', '2026-11-20'], unique: false }),
    column('stock', 'integer', { span: [0, 300] }),
  ]);
  const count =
    'SELECT "supplier", count(*) AS "count" FROM "inventory" GROUP BY 1 ORDER BY "count" DESC NULLS LAST, 1';

  it.each([
    ['which supplier has the most products', `${count} LIMIT 1`],
    ['products by supplier', count],
    ['newest product', 'SELECT * FROM "inventory" ORDER BY "added" DESC NULLS LAST LIMIT 1'],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, inventory)).toBe(sql);
  });

  it('are so only where nothing else makes sense', () => {
    expect(sqlOf('products with stock less than 10', inventory)).toBe(
      'SELECT DISTINCT "product" FROM "inventory" WHERE "stock" < 10 ORDER BY 1',
    );
  });
});

describe('both ends of a way', () => {
  const PLACES = { values: ['Oslo', 'Rome', 'Lima'], complete: true, unique: false };
  const trips = tableOf('trips', [
    column('trip_id', 'integer', { unique: true, numbers: true }),
    column('origin', 'text', PLACES),
    column('destination', 'text', PLACES),
  ]);

  it.each([
    ['trips from Oslo to Rome', `"origin" = 'Oslo' AND "destination" = 'Rome'`],
    ['how many trips to Rome', `"destination" = 'Rome'`],
    ['trips from Oslo or Lima', `"origin" IN ('Oslo', 'Lima')`],
  ])('%s', (question, where) => {
    expect(sqlOf(question, trips)?.split(' WHERE ')[1]).toBe(where);
  });

  it('are asked back where none is meant', () => {
    expect(sqlOf('trips with Oslo', trips)).toBe('unclear');
  });
});

it('takes customers for active who did not cancel', () => {
  const plans = tableOf('subscriptions', [
    column('customer', 'text', { values: ['Acme', 'Beta'], complete: true, unique: true }),
    column('cancelled_on', 'date', { nullable: true, span: ['2025-01-01', '2026-11-20'] }),
    column('mrr', 'number', { span: [1, 900] }),
  ]);
  expect(sqlOf('how many active customers', plans)).toContain('WHERE "cancelled_on" IS NULL');
  expect(sqlOf('total mrr of active customers', plans)).toBe(
    'SELECT sum("mrr") AS "sum_mrr" FROM "subscriptions" WHERE "cancelled_on" IS NULL',
  );
});

describe('what is out of stock', () => {
  const columns = [
    column('product', 'text', { values: ['Mug', 'Lamp'], complete: true, unique: true }),
    column('category', 'text', { values: ['Kitchen', 'Light'], complete: true, unique: false }),
    column('stock', 'integer', { span: [0, 300] }),
    column('reorder_level', 'integer', { span: [5, 50] }),
  ];
  const inventory = tableOf('inventory', columns);

  it.each([
    ['products out of stock', 'SELECT DISTINCT "product" FROM "inventory" WHERE "stock" <= 0 ORDER BY 1'],
    ['which products are out of stock', 'SELECT DISTINCT "product" FROM "inventory" WHERE "stock" <= 0 ORDER BY 1'],
    [
      'how many products are sold out in Kitchen',
      `SELECT count(DISTINCT "product") AS "count_product" FROM "inventory" WHERE "stock" <= 0 AND "category" = 'Kitchen'`,
    ],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, inventory)).toBe(sql);
  });

  it('is not known without a figure of what there is', () => {
    const [product, category, , level] = columns;
    expect(sqlOf('products out of stock', tableOf('inventory', [product!, category!, level!]))).toBeNull();
  });
});
