import type { AskedColumn, AskedTable } from '../asked-table.js';
import { tableOf as table } from './asked-table.spec-support.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';
import { clarificationText } from './clarification.js';
import { readAnswer } from './wording.js';
import { cpuStopwatch } from '../../../../../test/support/timing.js';

const column = (name: string, type: AskedColumn['type'], values: string[] = [], originalName = name): AskedColumn => ({
  name,
  originalName,
  type,
  nullable: true,
  values,
});

const orders = table('orders', [
  column('order_id', 'integer'),
  column('city', 'text', ['Amman', 'Irbid', 'New York', 'عمان'], 'City'),
  column('product', 'text', ['Pump', 'Valve']),
  column('status', 'text', ['open', 'closed']),
  column('customer', 'text'),
  column('amount', 'number', [], 'Amount'),
  column('quantity', 'integer'),
  column('paid', 'boolean'),
  column('order_date', 'date', [], 'Order Date'),
]);
const sales = table('sales', [
  column('المدينة', 'text', ['عمان', 'إربد'], 'المدينة'),
  column('المبلغ', 'number', [], 'المبلغ'),
  column('total', 'number'),
]);

const numbered = (name: string, type: AskedColumn['type'], unique = true) =>
  table('export_2024', [{ ...column(name, type), unique }, column('order_date', 'date'), column('state', 'text')]);

const turned = (head: string) =>
  table('plants', [column('first', 'text', [], head), column('solar_s1', 'text'), column('wind_w1', 'text')]);

const past = (question: string) => [{ question, sql: null, answer: '' }];

/** @param before the questions of the conversation */
const profits = (lowest: number): AskedTable =>
  table('profits', [column('dept', 'text', ['A', 'B']), { ...column('profit', 'number'), span: [lowest, 100] }]);

const visits = (years: [string, string] = ['2024-02-03', '2024-12-30'], whole?: string) =>
  table('visits', [
    { ...column('patient', 'text', ['Ann Lee']), unique: true },
    { ...column('insurance', 'text', ['public', 'private']), ...(whole ? { whole } : {}) },
    { ...column('fee', 'number', [], 'Fee (EUR)'), unique: false },
    { ...column('visit_date', 'date'), span: years },
  ]);

function sqlOf(question: string, tables = [orders], ...before: string[]): string | null {
  const { reading } = readQuestion(question, tables, before.flatMap(past));
  return reading?.kind === 'query'
    ? readingSql(reading)
    : reading && `unclear: ${reading.about} ${reading.choices.join()}`;
}

/** The first of what all rows of a thing come to. */
const first = (of: string, sum: string) =>
  `SELECT "${of}", sum("${sum}") AS "sum_${sum}" FROM "shop" GROUP BY 1 HAVING "${of}" IS NOT NULL ORDER BY "sum_${sum}" DESC NULLS LAST, 1 LIMIT `;

describe('readQuestion', () => {
  it.each([
    ['How many orders are there?', 'SELECT count(*) AS "count" FROM "orders"'],
    ['how many rows', 'SELECT count(*) AS "count" FROM "orders"'],
    ['What is the total amount?', 'SELECT sum("amount") AS "sum_amount" FROM "orders"'],
    ['Sum of Amount in Amman', `SELECT sum("amount") AS "sum_amount" FROM "orders" WHERE "city" = 'Amman'`],
    [
      'What is the average amount of open orders in New York?',
      `SELECT avg("amount") AS "avg_amount" FROM "orders" WHERE "status" = 'open' AND "city" = 'New York'`,
    ],
    [
      'total amount by city',
      'SELECT "city", sum("amount") AS "sum_amount" FROM "orders" GROUP BY 1 ORDER BY "sum_amount" DESC NULLS LAST, 1',
    ],
    [
      'number of orders per city and status',
      'SELECT "city", "status", count(*) AS "count" FROM "orders" GROUP BY 1, 2 ORDER BY "count" DESC NULLS LAST, 1, 2',
    ],
    ['How many cities are there?', 'SELECT count(DISTINCT "city") AS "count_city" FROM "orders"'],
    ['List the different products', 'SELECT DISTINCT "product" FROM "orders" ORDER BY 1'],
    [
      'total amount in Amman and Irbid',
      `SELECT sum("amount") AS "sum_amount" FROM "orders" WHERE "city" IN ('Amman', 'Irbid')`,
    ],
    [
      'how many orders with amount over 5 and amount under 10',
      'SELECT count(*) AS "count" FROM "orders" WHERE "amount" > 5 AND "amount" < 10',
    ],
    ['Which products are in Amman?', `SELECT DISTINCT "product" FROM "orders" WHERE "city" = 'Amman' ORDER BY 1`],
    ['how many orders with amount 12.90', 'SELECT count(*) AS "count" FROM "orders" WHERE "amount" = 12.9'],
    [
      'how many orders with quantity 5 and amount 12.90',
      'SELECT count(*) AS "count" FROM "orders" WHERE "quantity" = 5 AND "amount" = 12.9',
    ],
    ['How many orders have an amount of 12.9?', 'SELECT count(*) AS "count" FROM "orders" WHERE "amount" = 12.9'],
    [
      'How often was Pump sold in Amman?',
      `SELECT count(*) AS "count" FROM "orders" WHERE "product" = 'Pump' AND "city" = 'Amman'`,
    ],
    ['How many times Pump', `SELECT count(*) AS "count" FROM "orders" WHERE "product" = 'Pump'`],
    [
      'total amount in the second half of 2024',
      `SELECT sum("amount") AS "sum_amount" FROM "orders" WHERE "order_date" >= DATE '2024-07-01' AND "order_date" < DATE '2025-01-01'`,
    ],
    [
      'total amount in H1 2024',
      `SELECT sum("amount") AS "sum_amount" FROM "orders" WHERE "order_date" >= DATE '2024-01-01' AND "order_date" < DATE '2024-07-01'`,
    ],
    ['how many orders with amount over 1,000.5', 'SELECT count(*) AS "count" FROM "orders" WHERE "amount" > 1000.5'],
    ['how many orders where quantity is at least 3', 'SELECT count(*) AS "count" FROM "orders" WHERE "quantity" >= 3'],
    ['count of orders where paid is true', 'SELECT count(*) AS "count" FROM "orders" WHERE "paid" = true'],
    ['highest amount', 'SELECT max("amount") AS "max_amount" FROM "orders"'],
    ['What is the latest order date?', 'SELECT max("order_date") AS "max_order_date" FROM "orders"'],
    [
      'How many orders where customer is "O\'Brien Ltd"?',
      `SELECT count(*) AS "count" FROM "orders" WHERE lower("customer") = lower('O''Brien Ltd')`,
    ],
    [
      'top 3 cities by amount',
      'SELECT "city", sum("amount") AS "sum_amount" FROM "orders" GROUP BY 1 HAVING "city" IS NOT NULL ORDER BY "sum_amount" DESC NULLS LAST, 1 LIMIT 3',
    ],
    ['top 5 orders by amount', 'SELECT * FROM "orders" ORDER BY "amount" DESC NULLS LAST LIMIT 5'],
    [
      'Which city has the highest total amount?',
      'SELECT "city", sum("amount") AS "sum_amount" FROM "orders" GROUP BY 1 HAVING "city" IS NOT NULL ORDER BY "sum_amount" DESC NULLS LAST, 1 LIMIT 1',
    ],
    [
      'which city has the most orders',
      'SELECT "city", count(*) AS "count" FROM "orders" GROUP BY 1 HAVING "city" IS NOT NULL ORDER BY "count" DESC NULLS LAST, 1 LIMIT 1',
    ],
    [
      'total amount by month',
      `SELECT CAST(date_trunc('month', "order_date") AS DATE) AS "month", sum("amount") AS "sum_amount" FROM "orders" GROUP BY 1 ORDER BY 1`,
    ],
    [
      'total amount in 2024',
      'SELECT sum("amount") AS "sum_amount" FROM "orders" WHERE "order_date" >= DATE \'2024-01-01\' AND "order_date" < DATE \'2025-01-01\'',
    ],
    ['show all orders in Irbid', `SELECT * FROM "orders" WHERE "city" = 'Irbid'`],
    ['how many orders after order date 2024-05-01', null],
    [
      'total amount excluding Amman',
      `SELECT sum("amount") AS "sum_amount" FROM "orders" WHERE ("city" = 'Amman') IS NOT TRUE`,
    ],
    [
      'how many orders are not in Amman or Irbid',
      `SELECT count(*) AS "count" FROM "orders" WHERE ("city" IN ('Amman', 'Irbid')) IS NOT TRUE`,
    ],
    [
      'how many orders where status != open',
      `SELECT count(*) AS "count" FROM "orders" WHERE ("status" = 'open') IS NOT TRUE`,
    ],
    ['orders in Amman or Irbid', `SELECT * FROM "orders" WHERE "city" IN ('Amman', 'Irbid')`],
    [
      'percent of open orders',
      `SELECT 100.0 * count(*) FILTER (WHERE "status" = 'open') / count(*) AS "share_percent" FROM "orders"`,
    ],
    ['orders without a customer', 'SELECT * FROM "orders" WHERE "customer" IS NULL'],
    [
      'how many orders whose customer starts with Abu',
      `SELECT count(*) AS "count" FROM "orders" WHERE starts_with(lower("customer"), lower('Abu'))`,
    ],
    [
      'which cities have more than 5 orders',
      `SELECT "city", count(*) AS "count" FROM "orders" GROUP BY 1 HAVING "count" > 5 AND "city" IS NOT NULL ORDER BY "count" DESC NULLS LAST, 1`,
    ],
    [
      'how many cities have at least 5 orders',
      `SELECT count(*) AS "count" FROM (SELECT "city", count(*) AS "count" FROM "orders" GROUP BY 1 HAVING "count" >= 5 AND "city" IS NOT NULL)`,
    ],
    [
      'compare total amount of Amman and Irbid',
      `SELECT "city", sum("amount") AS "sum_amount" FROM "orders" WHERE "city" IN ('Amman', 'Irbid') GROUP BY 1 ORDER BY "sum_amount" DESC NULLS LAST, 1`,
    ],
    [
      'what is the most common product',
      'SELECT "product", count(*) AS "count" FROM "orders" GROUP BY 1 HAVING "product" IS NOT NULL ORDER BY "count" DESC NULLS LAST, 1 LIMIT 1',
    ],
    ['the second highest amount', 'SELECT * FROM "orders" ORDER BY "amount" DESC NULLS LAST LIMIT 1 OFFSET 1'],
    ['average order_date', null],
    [
      'how many orders with order date after 2024-05-01',
      `SELECT count(*) AS "count" FROM "orders" WHERE "order_date" >= DATE '2024-05-02'`,
    ],
  ])('reads %j', (question, sql) => {
    expect(sqlOf(question)).toBe(sql);
  });

  it.each([
    ['ما مجموع المبلغ؟', 'SELECT sum("المبلغ") AS "sum_المبلغ" FROM "sales"'],
    ['كم عدد الصفوف؟', 'SELECT count(*) AS "count" FROM "sales"'],
    ['ما هو متوسط المبلغ في إربد؟', `SELECT avg("المبلغ") AS "avg_المبلغ" FROM "sales" WHERE "المدينة" = 'إربد'`],
    ['متوسط المبلغ بعمان', `SELECT avg("المبلغ") AS "avg_المبلغ" FROM "sales" WHERE "المدينة" = 'عمان'`],
    [
      'إجمالي المبلغ لكل مدينة',
      'SELECT "المدينة", sum("المبلغ") AS "sum_المبلغ" FROM "sales" GROUP BY 1 ORDER BY "sum_المبلغ" DESC NULLS LAST, 1',
    ],
    ['كم عدد الصفوف حيث المبلغ أكبر من ١٠٠', 'SELECT count(*) AS "count" FROM "sales" WHERE "المبلغ" > 100'],
    [
      'مجموع المبلغ ما عدا عمان',
      `SELECT sum("المبلغ") AS "sum_المبلغ" FROM "sales" WHERE ("المدينة" = 'عمان') IS NOT TRUE`,
    ],
    ['أعلى مبلغ', 'SELECT max("المبلغ") AS "max_المبلغ" FROM "sales"'],
  ])('reads %j', (question, sql) => {
    expect(sqlOf(question, [sales])).toBe(sql);
  });

  it('takes a column for what it is when its name is a word of asking', () => {
    expect(sqlOf('average total', [sales])).toBe('SELECT avg("total") AS "avg_total" FROM "sales"');
    expect(sqlOf('total of total', [sales])).toBe('SELECT sum("total") AS "sum_total" FROM "sales"');
  });

  it.each([
    'Why did sales fall?',
    'total amount where quantity is 1 and quantity is 2',
    'How many orders in Paris?',
    'average amount and total quantity',
    'predict the amount of next year',
    'amount',
    'sum of city',
    'delete all orders',
    '',
    'ما سبب انخفاض المبيعات؟',
  ])('does not read %j by half', (question) => {
    expect(sqlOf(question)).toBeNull();
  });

  it.each([
    'total amount - Amman',
    'sum amount*quantity',
    'how many orders with quantity over 10 or under 5',
    'orders in Amman or quantity over 5',
    'total amount last year',
    'total amount this month',
    'average of distinct amounts',
    'how many orders (1,200)',
    'latest amount',
    'oldest order',
    'Summe der Bestellungen in Amman',
    'montant total in Amman',
    'total amount in Amman 😀',
  ])('leaves alone what changes the meaning: %j', (question) => {
    expect(sqlOf(question, [orders, sales])).toBeNull();
  });

  it('asks back where a word is a value of two columns, or a sum and an average are equally likely', () => {
    const trips = table('trips', [
      column('origin', 'text', ['Aqaba', 'Amman']),
      column('destination', 'text', ['Amman', 'Last']),
      column('price', 'number'),
      { ...column('growth', 'number', [], 'Growth (%)'), span: [0, 30] },
      { ...column('discount', 'number'), span: [0, 0.4] },
      column('day', 'date'),
    ]);
    expect(sqlOf('total price for Amman', [trips])).toBe('unclear: Amman origin,destination');
    expect(sqlOf('total price where origin is Amman', [trips])).toContain(`"origin" = 'Amman'`);
    expect(sqlOf('last price', [trips])).toMatch(/^unclear: last destination = Last/);
    expect(sqlOf('which origin has the highest price', [trips])).toMatch(/^SELECT "origin", max/);
    expect(sqlOf('how many trips with growth over 10%', [trips])).toContain('"growth" > 10');
    expect(sqlOf('how many trips with discount over 10%', [trips])).toContain('"discount" > 0.1');
    expect(sqlOf('how many trips on 3/4/2024', [trips])).toBe('unclear: 3/4/2024 2024-04-03,2024-03-04');
    expect(sqlOf('how many trips from March to May 2024', [trips])).toContain(
      `"day" >= DATE '2024-03-01' AND "day" < DATE '2024-06-01'`,
    );
    expect(sqlOf('how many trips from March 2024', [trips])).toMatch(/^unclear: from March 2024 in .*since/);
  });

  it('says what was chosen, what is empty, and what shares the place', () => {
    const { reading } = readQuestion('Which city has the highest quantity?', [orders], []);
    if (reading?.kind !== 'query') throw new Error('It was not read.');
    const columns = [
      { name: 'city', type: 'text' as const },
      { name: 'sum_quantity', type: 'integer' as const },
    ];
    const result = { columns, rows: [['Amman', 9]], truncated: false, durationMs: 1 };
    const facts = {
      matched: 10,
      filled: 8,
      alone: [],
      tied: [['Irbid', 9]],
      largest: ['New York', 7],
      rivals: [],
      things: null,
      among: null,
    };
    const answer = readAnswer(reading, result, facts, 'en');
    expect(answer).toContain('2 of the 10 rows have no “quantity”');
    expect(answer).toContain('The same figure as the last one shown: Irbid.');
    expect(answer).toContain('By the largest single “quantity” it would be New York (7).');
  });

  it('knows a header without its unit', () => {
    const trips = table('trips', [column('city', 'text'), column('cost_eur', 'number', [], 'Cost (EUR)')]);
    expect(sqlOf('What is the total cost by city?', [trips])).toContain('sum("cost_eur")');
    const both = table('trips', [...trips.columns, column('cost_usd', 'number', [], 'Cost [USD]')]);
    expect(sqlOf('What is the total cost?', [both])).toBe('unclear: cost Cost (EUR),Cost [USD]');
  });

  it('takes words of asking for values only where they are quoted', () => {
    const plans = table('plans', [column('plan', 'text', ['All', 'Total', 'Basic']), column('price', 'number')]);
    expect(sqlOf('total price of all rows', [plans])).toBe('SELECT sum("price") AS "sum_price" FROM "plans"');
    expect(sqlOf('total price of "All"', [plans])).toBe(
      `SELECT sum("price") AS "sum_price" FROM "plans" WHERE "plan" = 'All'`,
    );
  });

  it('asks back where several columns or tables are meant', () => {
    expect(sqlOf('total amount between 5 and 10')).toBe('unclear: sum Amount,quantity');
    expect(sqlOf('what is the total by city')).toBe('unclear: sum Amount,quantity');
    expect(sqlOf('how many rows', [orders, sales])).toBe('unclear:  orders,sales');
    expect(sqlOf('how many rows in sales', [orders, sales])).toBe('SELECT count(*) AS "count" FROM "sales"');
    expect(sqlOf('total quantity', [orders, sales])).toBe('SELECT sum("quantity") AS "sum_quantity" FROM "orders"');
    const unclear = { kind: 'unclear', what: 'column', about: 'sum', choices: ['Amount', 'quantity'] } as const;
    expect(clarificationText({ ...unclear, choices: [...unclear.choices] }, 'ar')).toBe(
      'أي عمود تقصد بـ “sum”: “Amount”، “quantity”؟',
    );
  });

  it('follows a conversation', () => {
    const before = 'total amount in Amman';
    expect(sqlOf('and in Irbid?', [orders], before)).toBe(
      `SELECT sum("amount") AS "sum_amount" FROM "orders" WHERE "city" = 'Irbid'`,
    );
    expect(sqlOf('by product', [orders], before)).toBe(
      `SELECT "product", sum("amount") AS "sum_amount" FROM "orders" WHERE "city" = 'Amman' GROUP BY 1 ORDER BY "sum_amount" DESC NULLS LAST, 1`,
    );
    expect(sqlOf('quantity', [orders], 'what is the total by city')).toMatch(/^SELECT "city", sum\("quantity"\)/);
    expect(sqlOf('and why?', [orders], before)).toBeNull();
  });

  it('goes on from the question that a conversation began with, and from none that was refused', () => {
    const paid = ['total amount of open orders', 'and their average?'];
    expect(sqlOf('amount', [orders], ...paid)).toBe(
      `SELECT avg("amount") AS "avg_amount" FROM "orders" WHERE "status" = 'open'`,
    );
    expect(sqlOf('and in Irbid?', [orders], ...paid, 'amount')).toBe(
      `SELECT avg("amount") AS "avg_amount" FROM "orders" WHERE "status" = 'open' AND "city" = 'Irbid'`,
    );
    // What it is said of was refused, and is not kept.
    expect(sqlOf('and their total amount?', [orders])).toBeNull();
    expect(sqlOf('what about the total amount?', [orders])).toBeNull();
    expect(sqlOf('only open orders', [orders])).not.toBeNull();
  });

  it.each([
    ['top 3 fees', 'SELECT * FROM "visits" ORDER BY "fee" DESC NULLS LAST LIMIT 3'],
    ['largest 2 fees', 'SELECT * FROM "visits" ORDER BY "fee" DESC NULLS LAST LIMIT 2'],
    [
      'How many visits before 1 June?',
      `SELECT count(*) AS "count" FROM "visits" WHERE "visit_date" < DATE '2024-06-01'`,
    ],
    [
      'visits between March 1 and June 1st',
      `SELECT * FROM "visits" WHERE "visit_date" >= DATE '2024-03-01' AND "visit_date" < DATE '2024-06-02'`,
    ],
    ['visits before 31 June', null],
    [
      'Which patients did not have public insurance?',
      `SELECT DISTINCT "patient" FROM "visits" WHERE ("insurance" = 'public') IS NOT TRUE ORDER BY 1`,
    ],
    [
      'How many visits had a fee below the average?',
      'SELECT count(*) AS "count" FROM "visits" WHERE "fee" < (SELECT avg("fee") FROM "visits")',
    ],
    [
      'patients not above the average fee',
      'SELECT DISTINCT "patient" FROM "visits" WHERE "fee" <= (SELECT avg("fee") FROM "visits") ORDER BY 1',
    ],
    // Of all visits, or of those of the private ones?
    ['private visits above the average fee', null],
    // With one of its visits, or all of them?
    ['Which insurance is above the average fee?', null],
  ])('reads the figures of rows, days without a year, and averages as bounds: %j', (question, sql) =>
    expect(sqlOf(question, [visits()])).toBe(sql),
  );

  it('knows what a row is though its day is called so, and not where its number is repeated', () => {
    const dated = { ...visits(), alias: 'visits_2024', name: 'visits_2024', filename: 'visits_2024.csv' };
    expect(sqlOf('How many visits before 1 June?', [dated])).toBe(
      `SELECT count(*) AS "count" FROM "visits_2024" WHERE "visit_date" < DATE '2024-06-01'`,
    );
    const lines = { ...dated, columns: [...dated.columns, { ...column('visit_id', 'integer'), unique: false }] };
    expect(sqlOf('How many visits before 1 June?', [lines])).not.toMatch(/count\(\*\)/);
  });

  it('takes what somebody is without for the answer no', () => {
    const pupils = table('pupils', [{ ...column('pupil', 'text'), unique: true }, column('scholarship', 'boolean')]);
    const sql = 'SELECT count(*) AS "count" FROM "pupils" WHERE "scholarship" = false';
    expect(sqlOf('How many pupils are without a scholarship?', [pupils])).toBe(sql);
    expect(sqlOf('How many pupils do not have a scholarship?', [pupils])).toBe(sql);
  });

  it.each<[string, string, string[], string]>([
    [
      'How many patients dropped out?',
      'dropped_out',
      ['No', 'Yes'],
      `count(*) AS "count" FROM "patients" WHERE "dropped_out" = 'Yes'`,
    ],
    [
      'How many patients have not dropped out?',
      'dropped_out',
      ['N', 'Y'],
      `count(*) AS "count" FROM "patients" WHERE "dropped_out" = 'N'`,
    ],
    [
      'Who dropped out at S1?',
      'dropped_out',
      ['No', 'Yes'],
      `* FROM "patients" WHERE "dropped_out" = 'Yes' AND "site" = 'S1'`,
    ],
    [
      'Which patients dropped out at S1?',
      'dropped_out',
      ['No', 'Yes'],
      `* FROM "patients" WHERE "dropped_out" = 'Yes' AND "site" = 'S1'`,
    ],
    ['Wie viele Zeilen haben keinen Vertrag?', 'vertrag', ['Ja', 'Nein', 'nein'], `"vertrag" IN ('Nein', 'nein')`],
    ['Wie viele Zeilen haben keinen Vertrag?', 'vertrag', ['ja', 'k. A.', 'nein'], 'unclear: keinen'],
    ['Wie viele Zeilen haben keinen Vertrag?', 'vertrag', ['A', 'B', 'n. b.'], 'unclear: keinen'],
    ['Hoeveel rijen hebben geen contract?', 'contract', ['ja', 'nee'], `"contract" = 'nee'`],
    ['count of rows where Dropped out is no', 'dropped_out', ['No', 'Yes'], `"dropped_out" = 'No'`],
    ['How many rows where contrat = oui?', 'contrat', ['non', 'oui'], `"contrat" = 'oui'`],
    ['Hoeveel patients hebben een contract?', 'contract', ['ja', 'nee'], `"contract" = 'ja'`],
    ['¿Cuántas filas hay sin contrato?', 'contrato', ['No', 'Sí'], `"contrato" = 'No'`],
    ['combien de lignes sans contrat', 'contrat', ['non', 'oui'], `"contrat" = 'non'`],
  ])('takes words of yes and no for what they are: %j of %s, %j', (question, name, values, sql) => {
    const patients = table('patients', [
      { ...column('patient', 'text'), unique: true },
      column('site', 'text', ['S1', 'S2']),
      { ...column(name, 'text', values), complete: true },
    ]);
    expect(sqlOf(question, [patients])).toContain(sql);
  });

  it('counts rows, and not the one value that all of them have', () => {
    expect(sqlOf('count status = open', [orders])).toBe(
      `SELECT count(*) AS "count" FROM "orders" WHERE "status" = 'open'`,
    );
    expect(sqlOf('how many different statuses', [orders])).toMatch(/count\(DISTINCT "status"\)/);
  });

  it('knows units behind a name', () => {
    const meters = table('zaehler', [
      column('kosten_in', 'number', [], 'Kosten in €'),
      column('gewicht_in_kg', 'number', [], 'Gewicht in kg'),
      column('umsatz_in_bern', 'number', [], 'Umsatz in Bern'),
    ]);
    expect(sqlOf('Durchschnitt Kosten', [meters])).toContain('avg("kosten_in")');
    expect(sqlOf('Median von Gewicht', [meters])).toContain('median("gewicht_in_kg")');
    expect(sqlOf('Median von Umsatz', [meters])).toBeNull();
  });

  it('takes no row for a thing where rows are what is said about things', () => {
    expect(sqlOf('How many plants are there?', [turned('Attribute')])).toBeNull();
    expect(sqlOf('number of rows', [turned('Merkmal')])).toMatch(/count\(\*\)/);
    expect(sqlOf('How many plants are there?', [turned('Name')])).toMatch(/count\(\*\)/);
  });

  it('asks for the year of a day where there are several, and takes no sums into an average', () => {
    expect(sqlOf('visits before 1 June', [visits(['2023-02-03', '2024-12-30'])])).toBe(
      'unclear: 1 June 1 June 2023,1 June 2024',
    );
    expect(sqlOf('visits before 29 February', [visits(['2023-02-03', '2024-12-30'])])).toBe(
      'unclear: 29 February 29 February 2024',
    );
    expect(sqlOf('patients above the average fee', [visits(undefined, 'all')])).toBeNull();
    const before = 'How many visits had a fee below the average?';
    expect(sqlOf('and private ones?', [visits()], before)).toBeNull();
    expect(sqlOf('and with private insurance?', [visits()], before)).toBeNull();
  });

  it('does not take the figure of a row for that of a month', () => {
    for (const word of ['average', 'highest', 'lowest'])
      expect(sqlOf(`${word} monthly amount`, [orders])).toContain('sum("amount")');
    expect(sqlOf('median monthly amount', [orders])).toBeNull();
    expect(sqlOf('total monthly amount', [orders])).toMatch(/"month", sum\("amount"\)/);
    expect(sqlOf('monthly amount', [orders])).toMatch(/"month", sum\("amount"\)/);
  });

  it('asks back where the cheapest is not what its rows add up to', () => {
    const own = table('own', [column('product', 'text', ['Pump', 'Valve']), column('cost', 'number')]);
    const { reading } = readQuestion('the cheapest product', [own], []);
    expect(reading).toMatchObject({ measure: { aggregate: 'min' }, rivals: ['avg', 'sum'] });
  });

  it('does not hold anybody up with a long question to a wide table', () => {
    const wide = table(
      'wide',
      Array.from({ length: 400 }, (_, at) =>
        column(
          `name_of_${at}`,
          'text',
          at < 60 ? Array.from({ length: 50 }, (__, row) => `some value ${row} of ${at}`) : [],
        ),
      ),
    );
    const took = cpuStopwatch();
    expect(readQuestion('total amount '.repeat(4000), [wide], []).reading).toBeNull();
    const past = { question: 'count '.repeat(9000), sql: null, answer: '' };
    expect(readQuestion('and why?', [wide], [past]).reading).toBeNull();
    expect(readQuestion('word '.repeat(60), [wide], []).reading).toBeNull();
    expect(sqlOf(`how many rows ${'please '.repeat(20)}`, [wide])).toBe('SELECT count(*) AS "count" FROM "wide"');
    expect(took()).toBeLessThan(1500);
  });

  it('says what it understood', () => {
    const { reading } = readQuestion('total amount in Amman', [orders], []);
    const facts = { matched: 5, filled: 5, alone: [5], tied: [], largest: null, rivals: [], things: null, among: null };
    if (reading?.kind !== 'query') throw new Error('It was not read.');
    const result = { columns: [{ name: 'sum_amount', type: 'number' as const }], truncated: false, durationMs: 1 };
    expect(readAnswer(reading, { ...result, rows: [[12345.5]] }, facts, 'en')).toBe(
      '**12,345.5**\n\n_Computed without a language model, understood as: sum of “Amount” of table “orders” where “City” = Amman._',
    );
    expect(readAnswer(reading, { ...result, rows: [[null]] }, { ...facts, matched: 0, alone: [0] }, 'ar')).toMatch(
      /^لا توجد صفوف مطابقة\./,
    );
  });

  it.each([
    ['total amount per City', ['city', 'sum_amount'], 'en', '| City | sum of Amount |'],
    ['number of orders per month', ['month', 'count'], 'en', '| month | number of rows |'],
    ['list the Order Date of orders in Amman', ['order_date', 'city'], 'en', '| Order Date | City |'],
    ['Summe von Amount je City', ['city', 'sum_amount'], 'de', '| City | Summe von Amount |'],
  ] as const)('heads its columns as the file does: %s', (question, names, language, heading) => {
    const { reading } = readQuestion(question, [orders], []);
    const facts = { matched: 2, filled: 2, alone: [], tied: [], largest: null, rivals: [], things: null, among: null };
    if (reading?.kind !== 'query') throw new Error(`It was not read: ${question}`);
    const columns = names.map((name) => ({ name, type: 'text' as const }));
    const rows = ['a', 'b'].map((cell) => names.map(() => cell));
    const answer = readAnswer(reading, { columns, rows, truncated: false, durationMs: 1 }, facts, language);
    expect(answer.split('\n')[0]).toBe(heading);
  });

  it('takes the column of a table that is called like it, and rows only where they are counted', () => {
    const own = table('sales', [
      column('date', 'date'),
      column('region', 'text', ['Bonn', 'Kiel'], 'Region'),
      column('product', 'text', ['Drinks', 'Bread'], 'Product'),
      column('sales', 'number', [], 'Sales'),
    ]);
    expect(sqlOf('sales by region', [own])).toMatch(/^SELECT "region", sum\("sales"\)/);
    expect(sqlOf('sales in Bonn without drinks', [own])).toMatch(/^SELECT sum\("sales"\).*IS NOT TRUE$/);
    expect(sqlOf('number of sales in Bonn', [own])).toMatch(/^SELECT count\(\*\)/);
    const total = table('sales', [...own.columns.slice(0, 3), column('total_sales', 'number')]);
    expect(sqlOf('sales by region', [total])).toMatch(/^SELECT "region", sum\("total_sales"\)/);
    const whole = table('sales', [...own.columns.slice(0, 3), column('sales', 'integer', [], 'Sales')]);
    expect(sqlOf('how many sales in Bonn', [whole])).toBe('unclear: Sales total Sales,number of rows');
    const umsatz = table('umsatz', [column('filiale', 'text', ['Bonn']), column('eur', 'number', [], 'Umsatz (EUR)')]);
    expect(sqlOf('Umsatz nach Filiale', [umsatz])).toMatch(/^SELECT "filiale", sum\("eur"\)/);
  });

  it('answers “who” with a name', () => {
    const staff = table('staff', [
      { ...column('name', 'text', ['Ann Lee', 'Bob Roe']), unique: true },
      column('department', 'text', ['IT', 'Law']),
      column('salary', 'integer', [], 'Salary'),
    ]);
    const most = 'SELECT "name", "salary" FROM "staff" ORDER BY "salary" DESC NULLS LAST LIMIT 1';
    expect(sqlOf('Who earns the most?', [staff])).toBe(most);
    expect(sqlOf('who has the highest salary', [staff])).toBe(most);
    expect(sqlOf('who has the highest amount')).toMatch(/^SELECT "customer", sum\("amount"\)/);
    const cities = table('cities', [column('city', 'text'), column('population', 'integer')]);
    expect(sqlOf('who has the highest population', [cities])).toBeNull();
  });

  it('reads verbs by what the names of columns say, and passes over those that say nothing', () => {
    const own = table('orders', [
      column('customer', 'text', ['Ann', 'Bob'], 'Customer'),
      column('country', 'text', ['Germany']),
      column('order_date', 'date', [], 'Order Date'),
      column('ship_date', 'date', [], 'Ship Date'),
      column('amount', 'number', [], 'Amount'),
      column('quantity', 'integer', [], 'Quantity'),
    ]);
    const shipped = /^SELECT count\(\*\) AS "count" FROM "orders" WHERE "ship_date" >= DATE '2023-01-01'/;
    expect(sqlOf('how many orders were shipped in 2023', [own])).toMatch(shipped);
    expect(sqlOf('how many orders were placed in 2023', [own])).toMatch(/WHERE "order_date" >= DATE '2023-01-01'/);
    expect(sqlOf('how many orders were shipped', [own])).toBeNull();
    expect(sqlOf('how many orders came from Germany', [own])).toMatch(/WHERE "country" = 'Germany'$/);
    expect(sqlOf('how much did Ann spend', [own])).toMatch(/^SELECT sum\("amount"\).*"customer" = 'Ann'$/);
    expect(sqlOf('who spent the most', [own])).toMatch(/^SELECT "customer", sum\("amount"\)/);
    expect(sqlOf('who bought the most', [own])).toBe('unclear: value Amount,Quantity');
    expect(sqlOf('orders over 2000 dollars', [own])).toBe('SELECT * FROM "orders" WHERE "amount" > 2000');
    expect(sqlOf('how many orders were refunded in 2023', [own])).toBeNull();
    // Sold on which of the days?
    expect(sqlOf('how many orders were sold in 2023', [own])).toBeNull();
    const { reading } = readQuestion('total amount in 2022', [own], []);
    expect(reading).toMatchObject({ guesses: [{ word: '2022', as: 'Order Date (≠ Ship Date)' }] });
  });

  it('asks which date is meant where a state is said of a time that has a date of its own', () => {
    const own = table('sales_orders', [
      { ...column('order_no', 'text', [], 'Order No'), unique: true },
      column('order_date', 'date', [], 'Order Date'),
      column('status', 'text', ['paid', 'open'], 'Status'),
      column('paid_on', 'date', [], 'Paid On'),
    ]);
    expect(sqlOf('how many orders were paid in 2024', [own])).toBe('unclear: 2024 Order Date,Paid On');
    expect(sqlOf('how many orders were paid since March 2024', [own])).toBe('unclear: March 2024 Order Date,Paid On');
    expect(sqlOf('how many open orders in 2024', [own])).toMatch(/"status" = 'open' AND "order_date" >=/);
    // The day of a step need not be called like the step.
    const dates = [column('Bestelldatum', 'date'), column('Geldeingang', 'date')];
    const german = table('bestellungen', [column('Status', 'text', ['Bezahlt', 'Offen']), ...dates]);
    for (const question of ['wurden im Februar 2025 bezahlt', 'sind bezahlt im Februar 2025'])
      expect(sqlOf(`Wie viele Bestellungen ${question}?`, [german])).toBe(
        'unclear: Februar 2025 Bestelldatum,Geldeingang',
      );
    const placed = table('orders', [
      column('city', 'text', ['Irbid']),
      column('ordered', 'date'),
      column('paid', 'date'),
    ]);
    expect(sqlOf('how many orders in Irbid in 2024', [placed])).toMatch(/"city" = 'Irbid' AND "ordered" >=/);
  });

  it('says of what a thing has to be the smallest where it is not one number that tells', () => {
    const region = column('region', 'text', ['North', 'South']);
    const regions = table('regions', [region, column('population', 'integer'), column('gdp', 'number')]);
    expect(sqlOf('gdp of the smallest region', [{ ...regions, columns: regions.columns.slice(1) }])).toBe(
      'unclear: smallest region population,gdp',
    );
    expect(sqlOf('amount of the largest order', [table('orders', [column('amount', 'number')])])).toBe(
      'SELECT max("amount") AS "max_amount" FROM "orders"',
    );
  });

  it('takes nothing for a share of gains and losses together', () => {
    expect(sqlOf('share of A in the total profit', [profits(0)])).toContain('share_percent');
    expect(sqlOf('share of A in the total profit', [profits(-80)])).toBeNull();
    expect(sqlOf('percentage of profit by dept', [profits(-80)])).toBeNull();
  });

  it('tells where the figures of several years were summed up', () => {
    const year: AskedColumn = { ...column('year', 'integer'), span: [2021, 2023] };
    const region: AskedColumn = { ...column('region', 'text', ['North', 'South']), yearly: true };
    const regions = table('figures', [region, year, column('population', 'integer')]);
    const answerTo = (question: string) => {
      const { reading } = readQuestion(question, [regions], []);
      if (reading?.kind !== 'query') throw new Error(`It was not read: ${question}`);
      const columns = [{ name: 'figure', type: 'number' as const }];
      const result = { columns, rows: [[9]], truncated: false, durationMs: 1 };
      const facts = {
        matched: 1,
        filled: 1,
        alone: [],
        tied: [],
        largest: null,
        rivals: [],
        things: null,
        among: null,
      };
      return readAnswer(reading, result, facts, 'en');
    };
    expect(answerTo('total population')).toContain(
      'The rows of all of “year” from 2021 to 2023 are summed up together.',
    );
    expect(answerTo('total population in 2023')).not.toContain('summed up together');
    expect(answerTo('average population')).not.toContain('summed up together');
  });

  it('knows what a row is by its number', () => {
    for (const [name, type] of [
      ['order_no', 'text'],
      ['order_no', 'integer'],
      ['order_number', 'text'],
      ['order_nr', 'text'],
    ] as const)
      expect(sqlOf('how many orders', [numbered(name, type)])).toBe('SELECT count(*) AS "count" FROM "export_2024"');
    // Lines of orders.
    expect(sqlOf('how many orders', [numbered('order_no', 'text', false)])).toMatch(
      /^SELECT count\(DISTINCT "order_no"\)/,
    );
    // May be how many there were.
    expect(sqlOf('how many visitors', [numbered('visitor_number', 'integer')])).toBeNull();
  });

  it('takes a column that numbers the rows for what a row is, and reckons with none of its numbers', () => {
    const cafe = table('cafe', [
      { ...column('order_', 'integer', [], 'Order'), unique: true, numbers: true },
      column('product', 'text', ['Tea', 'Latte'], 'Product'),
      column('quantity', 'integer', [], 'Quantity'),
      column('price', 'number', [], 'Price'),
      column('revenue', 'number', [], 'Revenue'),
    ]);
    expect(sqlOf('How many orders with price 7.25', [cafe])).toBe(
      'SELECT count(*) AS "count" FROM "cafe" WHERE "price" = 7.25',
    );
    expect(sqlOf('average revenue per order', [cafe])).toBe('SELECT avg("revenue") AS "avg_revenue" FROM "cafe"');
    expect(sqlOf('what was the biggest order', [cafe])).toBe('unclear: max Quantity,Price,Revenue');
    expect(sqlOf('How many orders over 15 dollars?', [cafe])).toBe('unclear: 15 dollars Quantity,Price,Revenue');
    expect(sqlOf('order 17', [cafe])).toBe('SELECT * FROM "cafe" WHERE "order_" = 17');
  });

  it('takes what is sold of a thing for pieces where they are counted, and sales for what was taken in', () => {
    const cafe = table('cafe', [
      column('product', 'text', ['Tea', 'Latte'], 'Product'),
      column('quantity', 'integer', [], 'Quantity'),
      column('revenue', 'number', [], 'Revenue'),
      column('branch', 'text', ['Station'], 'Branch'),
    ]);
    expect(sqlOf('How many lattes were sold?', [cafe])).toBe(
      `SELECT sum("quantity") AS "sum_quantity" FROM "cafe" WHERE "product" = 'Latte'`,
    );
    expect(sqlOf('How much tea did we sell?', [cafe])).toMatch(/^SELECT sum\("quantity"\) .* WHERE "product" = 'Tea'$/);
    expect(sqlOf('how many units of tea', [cafe])).toMatch(/^SELECT sum\("quantity"\) .* WHERE "product" = 'Tea'$/);
    expect(sqlOf('how many units of tea were sold', [cafe])).toBe(sqlOf('How much tea did we sell?', [cafe]));
    const bought = table('bought', [...cafe.columns, column('sex', 'text', ['women', 'men'])]);
    expect(sqlOf('how many women bought tea', [bought])).not.toContain('sum');
    expect(sqlOf('how many women did buy tea', [bought])).not.toContain('sum');
    expect(sqlOf('how often was tea sold', [cafe])).toMatch(/^SELECT count\(\*\)/);
    expect(sqlOf('which branch sells the most', [cafe])).toMatch(/sum\("revenue"\)/);
    expect(sqlOf('best selling product', [cafe])).toMatch(
      /^SELECT "product", sum\("quantity"\) .* ORDER BY "sum_quantity" DESC NULLS LAST, 1 LIMIT 1$/,
    );
    expect(sqlOf('sales at Station', [cafe])).toMatch(/^SELECT sum\("revenue"\)/);
    expect(sqlOf('how many sales at Station', [cafe])).toMatch(/^SELECT count\(\*\)/);
    const money = table(
      'cafe',
      cafe.columns.filter(({ name }) => name !== 'quantity'),
    );
    expect(sqlOf('How many lattes were sold?', [money])).toMatch(/^SELECT count\(\*\)/);
  });

  it('reads one or two digits behind a comma as decimals, unless the column has none', () => {
    expect(sqlOf('how many orders with amount = 12,9')).toMatch(/WHERE "amount" = 12\.9$/);
    expect(sqlOf('how many orders with amount above 1,200')).toMatch(/WHERE "amount" > 1200$/);
    expect(sqlOf('how many orders with quantity = 12,9')).toBeNull();
    expect(sqlOf('how many orders with quantity over 5,10')).toMatch(/^unclear/);
  });

  it('reads who directed what, when it was released, and which is the best', () => {
    const movies = table('movies', [
      { ...column('title', 'text', ['Alpha', 'Beta'], 'Title'), unique: true },
      column('director', 'text', ['Nolan'], 'Director'),
      column('release_year', 'integer', [], 'Release Year'),
      column('imdb_rating', 'number', [], 'IMDb Rating'),
    ]);
    expect(sqlOf('movies directed by Nolan', [movies])).toBe(`SELECT * FROM "movies" WHERE "director" = 'Nolan'`);
    expect(sqlOf('who directed Alpha', [movies])).toBe(
      `SELECT DISTINCT "director" FROM "movies" WHERE "title" = 'Alpha' ORDER BY 1`,
    );
    expect(sqlOf('movies released before 2000', [movies])).toBe('SELECT * FROM "movies" WHERE "release_year" < 2000');
    expect(sqlOf('when was Alpha released', [movies])).toMatch(/^SELECT (?:DISTINCT )?"release_year"/);
    expect(sqlOf('worst movie', [movies])).toMatch(/ORDER BY "imdb_rating" ASC NULLS LAST LIMIT 1$/);
  });

  it('takes whoever a row is of before others of the name, and a flag behind what has it', () => {
    const staff = table('staff', [
      { ...column('name', 'text', ['Ann Lee', 'Bob Roe'], 'Name'), unique: true },
      { ...column('manager', 'text', ['Ann Lee'], 'Manager'), unique: false },
      column('hire_date', 'date', [], 'HireDate'),
      column('salary', 'integer', [], 'Salary'),
      column('passed', 'boolean'),
    ]);
    expect(sqlOf('what is the salary of Ann Lee', [staff])).toMatch(/WHERE "name" = 'Ann Lee'/);
    expect(sqlOf('average salary of Ann Lee', [staff])).toBe('unclear: Ann Lee Name,Manager');
    expect(sqlOf('who was hired in 2021', [staff])).toMatch(/^SELECT \* FROM "staff" WHERE "hire_date" >= /);
    const students = table('students', [{ ...column('student', 'text'), unique: true }, column('passed', 'boolean')]);
    expect(sqlOf('how many students passed', [students])).toContain('"passed" = true');
    const grades = table('grades', [{ ...column('student', 'text'), unique: false }, column('passed', 'boolean')]);
    expect(sqlOf('how many students passed', [grades])).toBeNull();
  });

  it('asks of what a share is that has a condition and groups', () => {
    expect(sqlOf('share of open orders by city')).toBe('unclear: % 100 % = “status” = open,100 % = “City”');
    expect(sqlOf('share of orders by city')).toMatch(
      /^SELECT "city", 100\.0 \* count\(\*\) \/ sum\(count\(\*\)\) OVER \(\)/,
    );
    expect(sqlOf('share of orders in 2024 by city')).toMatch(/^SELECT "city", 100\.0/);
    expect(sqlOf('share of orders of Amman and Irbid by city')).toMatch(/^SELECT "city", 100\.0/);
  });

  it('takes the day on which somebody left for no time of what is told of them', () => {
    for (const [hired, left] of [
      ['Eintritt', 'Austritt'],
      ['HireDate', 'TerminationDate'],
      ['Joined', 'Left'],
    ] as const) {
      const dates = [hired, left].map((name) => column(name.toLowerCase(), 'date', [], name));
      const staff = table('staff', [column('salary', 'integer', [], 'Salary'), ...dates]);
      expect(sqlOf('total salary in 2023', [staff])).toBe(`unclear: 2023 ${hired},${left}`);
    }
  });

  it('reads German participles by the words that names are joined of', () => {
    const staff = table('mitarbeiter', [
      { ...column('name', 'text', ['Anna'], 'Name'), unique: true },
      column('einstellungsdatum', 'date', [], 'Einstellungsdatum'),
      column('gehalt', 'integer', [], 'Gehalt'),
    ]);
    expect(sqlOf('Wer wurde 2021 eingestellt?', [staff])).toMatch(/"einstellungsdatum" >= DATE '2021-01-01'|^unclear/);
    expect(sqlOf('Wer verdient am meisten?', [staff])).toBe(
      'SELECT "name", "gehalt" FROM "mitarbeiter" ORDER BY "gehalt" DESC NULLS LAST LIMIT 1',
    );
  });

  describe('of a shop whose orders have numbers, prices of pieces and takings', () => {
    const shop = table('shop', [
      { ...column('order', 'text', [], 'Order'), unique: true, numbers: true },
      { ...column('customer', 'text', ['Ann Lee', 'Ben Otto', 'Ben Roe'], 'Customer'), unique: false, complete: true },
      column('city', 'text', ['Berlin', 'Paris'], 'City'),
      column('product', 'text', ['Desk lamp', 'Gel pen'], 'Product'),
      column('quantity', 'integer', [], 'Quantity'),
      column('unit_price', 'number', [], 'Unit price'),
      { ...column('revenue', 'number', [], 'Revenue'), span: [1, 900] },
      { ...column('order_date', 'date', [], 'Order date'), span: ['2025-01-03', '2025-12-18'] },
      column('status', 'text', ['paid', 'open'], 'Status'),
      { ...column('returned', 'text', ['yes', 'no'], 'Returned'), complete: true },
      { ...column('rating', 'number', [], 'Rating'), span: [3, 5] },
    ]);
    it.each([
      ['Who spent the most?', `${first('customer', 'revenue')}1`],
      [
        'How much did Ann Lee spend?',
        `SELECT sum("revenue") AS "sum_revenue" FROM "shop" WHERE "customer" = 'Ann Lee'`,
      ],
      ['How much did Ann Lee buy?', 'unclear: buy Quantity,Revenue'],
      ['Who bought the most?', 'unclear: bought Quantity,Revenue'],
      ['Which product sold best?', `${first('product', 'quantity')}1`],
      ['What sells best?', `${first('product', 'quantity')}1`],
      ['What is our best seller?', `${first('product', 'quantity')}1`],
      ['top 2 best-selling products', `${first('product', 'quantity')}2`],
      ['Who is the best seller?', null],
      ['the most expensive order', 'unclear: most expensive Unit price,Revenue'],
      ['average order value', 'SELECT avg("revenue") AS "avg_revenue" FROM "shop"'],
      ['turnover in Berlin', `SELECT sum("revenue") AS "sum_revenue" FROM "shop" WHERE "city" = 'Berlin'`],
      ['open or paid orders', `SELECT * FROM "shop" WHERE "status" IN ('open', 'paid')`],
      ['number of open orders by city', /^SELECT "city", count\(\*\) AS "count" FROM "shop" WHERE "status" = 'open'/],
      ['orders with no rating', 'SELECT * FROM "shop" WHERE "rating" IS NULL'],
      ['how many orders where returned = no', `SELECT count(*) AS "count" FROM "shop" WHERE "returned" = 'no'`],
      ['How many with rating 4,5?', 'SELECT count(*) AS "count" FROM "shop" WHERE "rating" = 4.5'],
      ['How many have a rating of 4.5?', 'SELECT count(*) AS "count" FROM "shop" WHERE "rating" = 4.5'],
      ['How many returned?', `SELECT count(*) AS "count" FROM "shop" WHERE "returned" = 'yes'`],
      ['Which customer ordered most often?', /^SELECT "customer", count\(\*\) .* DESC NULLS LAST, 1 LIMIT 1$/],
      ['Who ordered B017?', null],
      ['Which customer spent the most in March?', /WHERE "order_date" >= DATE '2025-03-01' .* LIMIT 1$/],
      ['What was the first order?', 'SELECT * FROM "shop" ORDER BY "order_date" ASC NULLS LAST LIMIT 1'],
      ['last order of Ann Lee', /WHERE "customer" = 'Ann Lee' ORDER BY "order_date" DESC NULLS LAST LIMIT 1$/],
      ['latest orders', 'SELECT * FROM "shop" ORDER BY "order_date" DESC NULLS LAST LIMIT 10'],
      ['the last row', null],
      ['first order of each customer', null],
      ['best seller in each city', null],
      ['Which orders sold best?', null],
      ['Who spent the most per order?', null],
      ['latest order date', 'SELECT max("order_date") AS "max_order_date" FROM "shop"'],
      ['What did Ann buy?', `SELECT * FROM "shop" WHERE "customer" = 'Ann Lee'`],
      ['What did Ben buy?', 'unclear: Ben Ben Otto,Ben Roe'],
      ["Ann's orders", `SELECT * FROM "shop" WHERE "customer" = 'Ann Lee'`],
      ['orders in Lee', null],
      ['Lee revenue in Berlin', null],
      ['total Roe revenue', null],
      ['orders of Ann Roe', null],
    ])('reads %j', (question, sql) => {
      if (sql instanceof RegExp) expect(sqlOf(question, [shop])).toMatch(sql);
      else expect(sqlOf(question, [shop])).toBe(sql);
    });
  });

  it('counts no answers of yes and no where it is asked how many said so', () => {
    const marks = table('marks', [
      { ...column('student', 'text', ['Ann'], 'Student'), unique: false },
      column('subject', 'text', ['Maths']),
      { ...column('passed', 'text', ['yes', 'no'], 'Passed'), complete: true },
      column('mark', 'integer'),
    ]);
    expect(sqlOf('How many passed in Maths?', [marks])).toBeNull();
    // Of students, or of marks?
    expect(sqlOf('How many have a mark of 1?', [marks])).toBeNull();
  });

  it('takes words within other words for none', () => {
    const party = table('party', [
      column('city', 'text', ['Bonn']),
      column('balloons', 'number', [], 'Balloons'),
      column('customers', 'integer', [], 'Customers'),
      column('price', 'number', [], 'Price'),
    ]);
    expect(sqlOf('rows over 50 euros', [party])).toBe('SELECT * FROM "party" WHERE "price" > 50');
    const figures = (name: string) =>
      sqlOf(`${name} by city`, [
        table('figures', [column('city', 'text'), column(name.toLowerCase().replaceAll(' ', '_'), 'number', [], name)]),
      ]);
    for (const name of [
      'Market sales',
      'Operating cost',
      'Solar generation',
      'Netsales',
      'Pageviews',
      'Number of registrations',
    ])
      expect(figures(name)).toMatch(/^SELECT "city", sum\(/);
    for (const name of ['Account', 'County', 'Costume', 'Maxvalue', 'Unit price', 'Tax rate', 'Discounted amount'])
      expect(figures(name)).toMatch(/^unclear: .* average /);
  });

  it('reads Arabic plurals, quarters and what sells best', () => {
    const requests = table('orders', [
      { ...column('رقم_الطلب', 'integer', [], 'رقم الطلب'), unique: true, numbers: true },
      column('العميل', 'text', ['سارة']),
      column('المدينة', 'text', ['عمان']),
      column('المنتج', 'text', ['شاي']),
      column('الكمية', 'integer'),
      { ...column('التاريخ', 'date'), span: ['2025-01-01', '2025-12-01'] },
    ]);
    const asked = (question: string) => sqlOf(question, [requests]);
    expect(asked('كم عدد العملاء؟')).toContain('count(DISTINCT "العميل")');
    expect(asked('كم عدد الطلبات في عمان؟')).toContain(`count(*) AS "count" FROM "orders" WHERE "المدينة" = 'عمان'`);
    expect(asked('أعلى ثلاث مدن حسب الكمية')).toMatch(/^SELECT "المدينة", sum\("الكمية"\).* LIMIT 3$/);
    expect(asked('مجموع الكمية في الربع الثالث')).toContain(`"التاريخ" >= DATE '2025-07-01'`);
    expect(asked('مجموع الكمية لكل ربع')).toContain(`date_trunc('quarter', "التاريخ")`);
    expect(asked('مجموع الكمية في النصف الأول من 2024')).toContain(`"التاريخ" < DATE '2024-07-01'`);
    expect(asked('ما هو المنتج الأكثر مبيعا؟')).toMatch(/^SELECT "المنتج", sum\("الكمية"\).* LIMIT 1$/);
  });

  it('answers in the language in which an order is called so, and refuses in that of the question', () => {
    const orders17 = table('export', [
      { ...column('bestellung', 'integer', [], 'Bestellung'), unique: true, numbers: true },
    ]);
    expect(readQuestion('Bestellung 17', [orders17], []).language).toBe('de');
    expect(readQuestion('percentage passed in Maths', [orders17], []).language).toBe('en');
  });
});
