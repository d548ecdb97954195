import type { AskedTable } from '../asked-table.js';
import { column, filledColumn, tableOf } from './asked-table.spec-support.js';
import { describe as inWords } from './describe.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const number = filledColumn('order_id', 'integer', { unique: true, numbers: true });
const region = filledColumn('region', 'text', { values: ['North', 'South'], complete: true, unique: false });
const day = (name: string) => filledColumn(name, 'date', { span: ['2025-01-01', '2026-11-20'] });
const later = (name: string) => column(name, 'date', { span: ['2025-01-01', '2026-11-20'] });

const orders = tableOf('orders', [
  number,
  region,
  day('order_date'),
  later('ship_date'),
  filledColumn('amount', 'number'),
]);
const delivered = tableOf('orders', [number, region, day('order_date'), later('ship_date'), later('delivery_date')]);
const timed = { span: ['2025-01-01', '2026-11-20'] } satisfies Partial<AskedTable['columns'][number]>;
const tickets = tableOf('tickets', [
  filledColumn('ticket_id', 'integer', { unique: true, numbers: true }),
  filledColumn('agent', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: false }),
  filledColumn('opened', 'datetime', timed),
  column('resolved', 'datetime', timed),
]);
const employees: AskedTable = {
  ...tableOf('employees', [
    filledColumn('name', 'text', { values: ['Ann Lee', 'Bob Ray'], complete: true, unique: true }),
    filledColumn('department', 'text', { values: ['Sales', 'IT'], complete: true, unique: false }),
    filledColumn('birth_date', 'date', { span: ['1960-01-01', '2004-11-20'] }),
    filledColumn('hire_date', 'date', { span: ['2010-01-01', '2026-11-20'] }),
    filledColumn('salary', 'number'),
  ]),
  persons: true,
};
const stays = tableOf('stays', [
  filledColumn('patient_id', 'integer', { unique: false }),
  filledColumn('ward', 'text', { values: ['A', 'B'], complete: true, unique: false }),
  day('admission_date'),
  later('discharge_date'),
]);

function read(question: string, table: AskedTable) {
  return readQuestion(question, [table], [], '2026-11-30').reading;
}

function sqlOf(question: string, table: AskedTable): string | null {
  const reading = read(question, table);
  return reading?.kind === 'query' ? readingSql(reading) : (reading?.kind ?? null);
}

function sqlOfReply(table: AskedTable, question: string, reply: string): string | null {
  const { reading } = readQuestion(reply, [table], [{ question, sql: null, answer: '' }], '2026-11-30');
  return reading?.kind === 'query' ? readingSql(reading) : null;
}

const SHIPPING = `date_diff('day', "order_date", "ship_date")`;
const RESOLVING = `date_diff('second', CAST("opened" AS TIMESTAMP), CAST("resolved" AS TIMESTAMP)) / 3600`;
const AGE = `date_sub('year', "birth_date", DATE '2026-11-30')`;
const TENURE = `date_diff('day', "hire_date", DATE '2026-11-30') / 365.25`;
const STAY = `date_diff('day', "admission_date", "discharge_date")`;

describe('how long something took', () => {
  it.each([
    'average shipping time',
    'how long does it take to ship an order',
    'how long does it usually take to ship',
    'how long does shipping take',
    'average number of days between order and shipping',
    'average number of days from order date to ship date',
    'what is the average time between order date and ship date',
    'average days to ship',
    'average lead time',
    'on average how long do orders take to ship',
  ])('%s', (question) => {
    expect(sqlOf(question, orders)).toBe(`SELECT avg(${SHIPPING}) AS "avg_days_order_date_ship_date" FROM "orders"`);
  });

  it.each([
    [
      'shipping time by region',
      `SELECT "region", avg(${SHIPPING}) AS "avg_days_order_date_ship_date" FROM "orders" GROUP BY 1`,
    ],
    [
      'how long did order 17 take to ship',
      `SELECT ${SHIPPING} AS "days_order_date_ship_date" FROM "orders" WHERE "order_id" = 17`,
    ],
    [
      'how many days did order 17 take',
      `SELECT ${SHIPPING} AS "days_order_date_ship_date" FROM "orders" WHERE "order_id" = 17`,
    ],
    ['which orders took more than 5 days to ship', `SELECT * FROM "orders" WHERE ${SHIPPING} > 5`],
    ['orders that took longer than 2 weeks', `SELECT * FROM "orders" WHERE ${SHIPPING} > 14`],
    ['how many orders were shipped within 2 days', `SELECT count(*) AS "count" FROM "orders" WHERE ${SHIPPING} <= 2`],
    [
      'which order took the longest',
      `SELECT *, ${SHIPPING} AS "days_order_date_ship_date" FROM "orders" WHERE ${SHIPPING} IS NOT NULL ORDER BY ${SHIPPING} DESC NULLS LAST LIMIT 1`,
    ],
    [
      'list orders by shipping time',
      `SELECT *, ${SHIPPING} AS "days_order_date_ship_date" FROM "orders" ORDER BY ${SHIPPING} DESC NULLS LAST`,
    ],
    [
      'which region has the longest average shipping time',
      `SELECT "region", avg(${SHIPPING}) AS "avg_days_order_date_ship_date" FROM "orders" GROUP BY 1 HAVING`,
    ],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, orders)?.replace(/ (?:ORDER BY "avg.*|HAVING .*)$/, '')).toBe(sql.replace(/ HAVING$/, ''));
  });

  it('is told in hours where both times tell them, unless others are asked for', () => {
    for (const question of [
      'average resolution time',
      'how long does it take to resolve a ticket',
      'average time to resolve',
    ])
      expect(sqlOf(question, tickets)).toBe(`SELECT avg(${RESOLVING}) AS "avg_hours_opened_resolved" FROM "tickets"`);
    expect(sqlOf('average resolution time in days', tickets)).toContain('/ 86400');
    expect(sqlOf('tickets that took longer than 2 days to resolve', tickets)).toContain(`${RESOLVING} > 48`);
    const reading = read('average resolution time', tickets);
    expect(reading?.kind === 'query' && inWords(reading, 'en')).toBe(
      'average of “opened → resolved (hours)” of table “tickets”',
    );
  });

  it('takes resolved and closed for the same where one of them alone is known', () => {
    const closing = {
      ...tickets,
      columns: tickets.columns.map((own) => ({
        ...own,
        ...(own.name === 'resolved' && { name: 'closed', originalName: 'Closed' }),
      })),
    };
    const taken = RESOLVING.replace('"resolved"', '"closed"');
    for (const question of [
      'average resolution time',
      'how long does it take to resolve a ticket',
      'time to fix by agent',
    ])
      expect(sqlOf(question, closing)).toContain(`avg(${taken})`);
    const both = { ...tickets, columns: [...tickets.columns, column('closed', 'datetime', timed)] };
    expect(sqlOf('average resolution time', both)).toContain(`avg(${RESOLVING})`);
    // What has not come to its end took no time yet.
    expect(sqlOf('slowest ticket', closing)).toContain(`WHERE ${taken} IS NOT NULL ORDER BY`);
  });

  it.each(['average length of stay', 'average stay', 'how long do patients stay', 'average duration'])(
    '%s',
    (question) => {
      expect(sqlOf(question, stays)).toBe(
        `SELECT avg(${STAY}) AS "avg_days_admission_date_discharge_date" FROM "stays"`,
      );
    },
  );

  it('is asked back where it may have begun at several times', () => {
    const reading = read('average delivery time', delivered);
    const choices = ['order_date → delivery_date (days)', 'ship_date → delivery_date (days)'];
    expect(reading).toMatchObject({ kind: 'unclear', choices });
    expect(sqlOf('average days between shipping and delivery', delivered)).toContain(
      `date_diff('day', "ship_date", "delivery_date")`,
    );
    expect(sqlOf('average shipping time', delivered)).toContain(SHIPPING);
  });

  it('is added up where it is nights', () => {
    const nights = `SELECT sum(${STAY}) AS "sum_nights_admission_date_discharge_date" FROM "stays"`;
    for (const question of ['total nights', 'how many nights', 'how many nights in total'])
      expect(sqlOf(question, stays)).toBe(nights);
    expect(sqlOf('average number of nights', stays)).toBe(nights.replaceAll('sum', 'avg'));
    expect(sqlOf('nights by ward', stays)).toContain(`sum(${STAY})`);
    expect(sqlOf('how many days does it take in total', stays)).toBeNull();
  });

  it('is what a column says, where one does', () => {
    const said = { ...tickets, columns: [...tickets.columns, filledColumn('resolution_hours', 'number')] };
    expect(sqlOf('average resolution time', said)).toBe(
      'SELECT avg("resolution_hours") AS "avg_resolution_hours" FROM "tickets"',
    );
    expect(sqlOf('average turnaround time', said)).toBeNull();
  });

  it('is not asked for by words that only look so', () => {
    for (const question of [
      'orders to ship',
      'how many orders to ship in North',
      'orders taken by North',
      'orders in days',
    ])
      expect(sqlOf(question, orders)).toBeNull();
    expect(sqlOf('last 5 orders', orders)).toContain('ORDER BY "order_date" DESC NULLS LAST LIMIT 5');
    expect(sqlOf('stays by ward', stays)).toContain('SELECT "ward", count(*)');
    const meetings = tableOf('meetings', [
      filledColumn('meeting', 'text', { values: ['Alpha', 'Beta'], complete: true, unique: true }),
      filledColumn('start_time', 'datetime', timed),
      column('end_time', 'datetime', timed),
    ]);
    expect(sqlOf('end time of Alpha', meetings)).toContain('SELECT DISTINCT "end_time"');
    expect(sqlOf('how long do meetings last', meetings)).toContain('avg(date_diff');
  });

  it('is nothing where nothing ends', () => {
    const due = tableOf('invoices', [number, day('issued'), day('due_date')]);
    expect(sqlOf('average payment time', due)).toBeNull();
    expect(sqlOf('how long does it take to pay', due)).toBeNull();
  });

  it('is no amount of money', () => {
    expect(sqlOf('orders over 5 days', orders)).toBeNull();
  });
});

describe('what was late', () => {
  const due = tableOf('orders', [number, region, day('order_date'), day('required_date'), later('shipped_date')]);
  const LATE = `date_diff('day', "required_date", "shipped_date") > 0`;

  it.each([
    ['how many orders were shipped late', `SELECT count(*) AS "count" FROM "orders" WHERE ${LATE}`],
    ['orders shipped late by region', `SELECT "region", count(*) AS "count" FROM "orders" WHERE ${LATE} GROUP BY 1`],
    [
      'how many orders were shipped on time',
      `SELECT count(*) AS "count" FROM "orders" WHERE ${LATE.replace('>', '<=')}`,
    ],
    ['orders not shipped on time', `SELECT * FROM "orders" WHERE ${LATE}`],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, due)?.replace(/ ORDER BY .*/, '')).toBe(sql);
  });

  it('may be so without an end', () => {
    const choices = ['required_date → shipped_date (days)', 'required_date → shipped_date / today (days)'];
    for (const question of ['late orders', 'how many orders were late', 'percentage of late orders'])
      expect(read(question, due)).toMatchObject({ kind: 'unclear', choices });
    const sql = sqlOfReply(due, 'how many orders were late', 'the second');
    expect(sql).toContain(`date_diff('day', "required_date", coalesce("shipped_date", DATE '2026-11-30')) > 0`);
  });

  it('is a share of all, or of those that came to their end', () => {
    const choices = ['100 % = …', '100 % = not (“required_date → shipped_date (days)” = —)'];
    expect(read('what percentage of orders were shipped on time', due)).toMatchObject({ kind: 'unclear', choices });
    expect(read('what percentage of orders were shipped within 2 days', orders)).toMatchObject({ kind: 'unclear' });
  });

  it('is what a column says, where one does', () => {
    const said = { ...due, columns: [...due.columns, filledColumn('late', 'boolean')] };
    expect(sqlOf('late orders', said)).toBe('SELECT * FROM "orders" WHERE "late" = true');
    expect(sqlOf('late orders', orders)).toBeNull();
  });
});

describe('ages and years of service', () => {
  it.each([
    ['average age', `SELECT avg(${AGE}) AS "avg_age" FROM "employees"`],
    ['how old is Ann Lee', `SELECT ${AGE} AS "age" FROM "employees" WHERE "name" = 'Ann Lee'`],
    ['how many employees are older than 40', `SELECT count(*) AS "count" FROM "employees" WHERE ${AGE} > 40`],
    ['how many employees are over 40', `SELECT count(*) AS "count" FROM "employees" WHERE ${AGE} > 40`],
    ['employees under 30 years old', `SELECT * FROM "employees" WHERE ${AGE} < 30`],
    ['employees over 5000', `SELECT * FROM "employees" WHERE "salary" > 5000`],
    ['average tenure', `SELECT avg(${TENURE}) AS "avg_years_hire_date_today" FROM "employees"`],
    [
      'how long has Ann Lee worked here',
      `SELECT ${TENURE} AS "years_hire_date_today" FROM "employees" WHERE "name" = 'Ann Lee'`,
    ],
    ['employees with more than 5 years of service', `SELECT * FROM "employees" WHERE ${TENURE} > 5`],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, employees)).toBe(sql);
  });

  it('are those of the column, where there is one', () => {
    const aged = { ...employees, columns: [...employees.columns, filledColumn('age', 'integer', { span: [20, 60] })] };
    expect(sqlOf('average age', aged)).toBe('SELECT avg("age") AS "avg_age" FROM "employees"');
    expect(sqlOf('how many employees are over 40', aged)).toContain('"age" > 40');
  });

  it('are not how long somebody did anything else', () => {
    const placed = {
      ...employees,
      columns: [
        ...employees.columns,
        filledColumn('city', 'text', { values: ['Oslo'], complete: true, unique: false }),
      ],
    };
    expect(sqlOf('how long has Ann Lee lived in Oslo', placed)).toBeNull();
  });

  it('end on the day on which somebody left', () => {
    const left = { ...employees, columns: [...employees.columns, later('exit_date')] };
    expect(sqlOf('average tenure', left)).toContain(
      `date_diff('day', "hire_date", coalesce("exit_date", DATE '2026-11-30')) / 365.25`,
    );
  });

  it('are not known without a day of today', () => {
    expect(readQuestion('average age', [employees], [], null).reading).toBeNull();
  });

  it('are meant by a bare number of people, unless a figure is named', () => {
    const rated = { ...employees, columns: [...employees.columns, filledColumn('rating', 'number', { span: [1, 5] })] };
    expect(sqlOf('employees over 40', rated)).toBe(`SELECT * FROM "employees" WHERE ${AGE} > 40`);
    expect(sqlOf('average rating of employees over 40', rated)).toContain(`WHERE ${AGE} > 40`);
    for (const question of ['how many employees earn over 100', 'who earns over 100', 'employees earning over 100'])
      expect(sqlOf(question, employees)).toContain('"salary" > 100');
    const timed = {
      ...employees,
      columns: [...employees.columns, filledColumn('hours', 'integer', { span: [10, 60] })],
    };
    expect(sqlOf('employees with over 40 hours', timed)).toContain('"hours" > 40');
    expect(sqlOf('employees with a rating over 4', rated)).toBe('SELECT * FROM "employees" WHERE "rating" > 4');
    const [name, department, , hired, salary] = employees.columns;
    const paid = [name!, department!, hired!, { ...salary!, span: [1000, 9000] as [number, number] }];
    expect(read('employees over 40', { ...employees, columns: paid })).toMatchObject({
      kind: 'unclear',
      choices: ['salary'],
    });
  });
});

describe('the same in other languages', () => {
  it.each([
    ['durchschnittliche Lieferzeit', 'bestelldatum', 'lieferdatum'],
    ['Wie hoch ist die durchschnittliche Bearbeitungszeit?', 'bestelldatum', 'lieferdatum'],
    ['durchschnittliche Anzahl Tage zwischen Bestellung und Lieferung', 'bestelldatum', 'lieferdatum'],
    ['délai moyen de livraison', 'date_commande', 'date_livraison'],
    ['nombre moyen de jours entre commande et livraison', 'date_commande', 'date_livraison'],
    ['tiempo medio de entrega', 'fecha_pedido', 'fecha_entrega'],
    ['promedio de días entre pedido y entrega', 'fecha_pedido', 'fecha_entrega'],
    ['tempo medio di consegna', 'data_ordine', 'data_consegna'],
    ['giorni tra ordine e consegna', 'data_ordine', 'data_consegna'],
    ['prazo médio de entrega', 'data_pedido', 'data_entrega'],
    ['gemiddelde levertijd', 'besteldatum', 'leverdatum'],
    ['aantal dagen tussen bestelling en levering', 'besteldatum', 'leverdatum'],
  ])('%s', (question, from, to) => {
    const dated = tableOf('orders', [region, day(from), later(to)]);
    expect(sqlOf(question, dated)).toContain(`SELECT avg(date_diff('day', "${from}", "${to}"))`);
  });

  it.each([
    ['Durchschnittsalter', 'geburtsdatum'],
    ['durchschnittliches Alter', 'geburtsdatum'],
    ['âge moyen', 'date_naissance'],
    ['edad media', 'fecha_nacimiento'],
    ['età media', 'data_nascita'],
    ['idade média', 'data_nascimento'],
    ['gemiddelde leeftijd', 'geboortedatum'],
  ])('%s', (question, birth) => {
    const people = { ...tableOf('staff', [region, day(birth)]), persons: true };
    expect(sqlOf(question, people)).toBe(
      `SELECT avg(date_sub('year', "${birth}", DATE '2026-11-30')) AS "avg_age" FROM "staff"`,
    );
  });

  it('is called in the language of the question', () => {
    const dated = tableOf('orders', [region, day('Bestelldatum'), later('Lieferdatum')]);
    const { reading } = readQuestion('durchschnittliche Lieferzeit', [dated], [], '2026-11-30');
    expect(reading?.kind === 'query' && inWords(reading, 'de')).toContain('“Bestelldatum → Lieferdatum (Tage)”');
  });

  it('knows who was born first', () => {
    const people = {
      ...employees,
      columns: employees.columns.map((own) =>
        own.name === 'birth_date' ? { ...own, name: 'geburtsdatum', originalName: 'Geburtsdatum' } : own,
      ),
    };
    expect(sqlOf('wer ist am ältesten', people)).toContain('ORDER BY "geburtsdatum" ASC');
    expect(sqlOf('wie viele sind älter als 40', people)).toContain(
      `date_sub('year', "geburtsdatum", DATE '2026-11-30') > 40`,
    );
  });
});
