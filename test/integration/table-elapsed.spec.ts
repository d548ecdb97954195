import type { TabularColumn, TabularType } from '@app/tabular';
import { AskedCorpus, same } from '../support/table-corpus.js';

type Column = [name: string, type: TabularType];
type Asked = [question: string, rows: unknown[][] | null];

const TODAY = '2026-11-30';

async function open(name: string, columns: Column[], rows: string): Promise<AskedCorpus> {
  const own = columns.map(([column, type]): TabularColumn => {
    return { name: column, originalName: column.replaceAll('_', ' '), type, nullable: true };
  });
  const table = { name, sheet: null, rowCount: 0, columns: own, range: 'A1:Z99', firstRow: 2, contiguous: true };
  const names = columns.map(([column]) => `"${column}"`).join(', ');
  const values = `SELECT * FROM (VALUES ${rows}) v(${names})`;
  return AskedCorpus.open({ name, filename: `${name}.csv`, table, rows: values, questions: [] }, TODAY);
}

const ORDERS: Parameters<typeof open> = [
  'orders',
  [
    ['order_id', 'integer'],
    ['region', 'text'],
    ['order_date', 'date'],
    ['ship_date', 'date'],
  ],
  `(1,'North','2026-01-05','2026-01-09'),(2,'South','2026-02-27','2026-03-01'),(3,'North','2026-03-10','2026-03-31'),
   (4,'South','2026-04-01',NULL),(5,'South','2026-05-01','2026-05-02'),(6,'North','2025-12-30','2026-01-02')`,
];
const TICKETS: Parameters<typeof open> = [
  'tickets',
  [
    ['ticket_id', 'integer'],
    ['agent', 'text'],
    ['opened', 'datetime'],
    ['resolved', 'datetime'],
  ],
  `(1,'Ann','2026-01-05 08:00:00','2026-01-05 17:30:00'),(2,'Bob','2026-02-27 22:15:00','2026-03-01 01:15:00'),
   (3,'Ann','2026-03-10 09:00:00',NULL),(4,'Bob','2026-03-11 09:00:00','2026-03-11 09:45:00')`,
];
const INVOICES: Parameters<typeof open> = [
  'invoices',
  [
    ['invoice_id', 'integer'],
    ['client', 'text'],
    ['issued', 'date'],
    ['due_date', 'date'],
    ['paid_on', 'date'],
    ['amount', 'number'],
  ],
  `(1,'Acme','2026-01-01','2026-01-31','2026-01-31',100),(2,'Acme','2026-02-01','2026-03-03','2026-03-05',200),
   (3,'Beta','2026-03-01','2026-03-31',NULL,400),(4,'Beta','2026-11-20','2026-12-20',NULL,800),
   (5,'Beta','2026-04-01','2026-05-01','2026-05-02',1600)`,
];
const EMPLOYEES: Parameters<typeof open> = [
  'employees',
  [
    ['name', 'text'],
    ['gender', 'text'],
    ['department', 'text'],
    ['birth_date', 'date'],
    ['hire_date', 'date'],
  ],
  `('Ann Lee','F','Sales','1986-12-01','2015-06-01'),('Bob Ray','M','IT','1986-11-30','2020-02-29'),
   ('Cy Eng','M','IT','2004-02-29','2026-11-01'),('Dee Fox','F','Sales','1970-07-15','2001-01-15')`,
];

const ASKED: [about: string, table: Parameters<typeof open>, questions: Asked[]][] = [
  [
    'dates',
    ORDERS,
    [
      // 4, 2, 21, none, 1, 3 days
      ['average shipping time', [[31 / 5]]],
      ['how long does it take to ship an order', [[31 / 5]]],
      [
        'average number of days between order and shipping by region',
        [
          ['North', 28 / 3],
          ['South', 1.5],
        ],
      ],
      ['median days to ship', [[3]]],
      ['how many orders were shipped within 3 days', [[3]]],
      ['how many orders took longer than 2 weeks', [[1]]],
      ['how long did order 3 take to ship', [[21]]],
      ['which order took the longest', [[3, 'North', '2026-03-10', '2026-03-31', 21]]],
      ['which region has the shortest average shipping time', [['South', 1.5]]],
    ],
  ],
  [
    'times of the day',
    TICKETS,
    [
      // 9.5, 27, none, 0.75 hours
      ['average resolution time', [[37.25 / 3]]],
      ['average resolution time in minutes', [[(37.25 * 60) / 3]]],
      [
        'average time to resolve by agent',
        [
          ['Bob', 13.875],
          ['Ann', 9.5],
        ],
      ],
      ['how many tickets were resolved within 1 day', [[2]]],
      ['how many tickets took more than 30 minutes to resolve', [[3]]],
      ['how long did ticket 2 take', [[27]]],
    ],
  ],
  [
    'dates until which something was due',
    INVOICES,
    [
      ['how many invoices were paid late', [[2]]],
      ['total amount of invoices paid late', [[1800]]],
      ['how many invoices were paid on time', [[1]]],
      ['how many invoices were late', null],
      ['what percentage of invoices were paid on time', null],
      ['how many days does it take to pay on average', [[(30 + 32 + 31) / 3]]],
    ],
  ],
  [
    'people',
    EMPLOYEES,
    [
      // 39 until tomorrow, 40 today, 22, 56
      ['average age', [[(39 + 40 + 22 + 56) / 4]]],
      ['how old is Ann Lee', [[39]]],
      ['how many employees are over 39', [[2]]],
      ['how many employees are at least 40 years old', [[2]]],
      [
        'average age by department',
        [
          ['Sales', 47.5],
          ['IT', 31],
        ],
      ],
      ['how many employees have more than 10 years of service', [[2]]],
      ['average salary', null],
    ],
  ],
];

describe.each(ASKED)('%s', (_about, table, questions) => {
  let asked: AskedCorpus;

  beforeAll(async () => {
    asked = await open(...table);
  });

  afterAll(() => asked.close());

  it.each(questions)('%s', async (question, expected) => {
    const answered = await asked.ask([question]);
    if (expected === null) return expect(answered.status).toMatch(/^(?:refused|clarification)$/);
    const right = same(answered.rows, expected);
    expect({ ...answered, right }).toMatchObject({ status: 'completed', right: true });
  });
});

it('says what it was told from, and what is left out', async () => {
  const asked = await open(...ORDERS);
  const { answer } = await asked.ask(['average shipping time']);
  expect(answer).toContain('“order date → ship date (days)”');
  expect(answer).toContain('1 of the 6 rows has no');
  // What is not done yet has no place in the order.
  const longest = await asked.ask(['which order took the longest']);
  expect(longest.answer).toContain('1 of the 6 rows has no “order date → ship date (days)”');
  await asked.close();
});

it('counts what is late and not done yet where that is chosen', async () => {
  const asked = await open(...INVOICES);
  const { rows } = await asked.ask(['how many invoices were late', 'the second']);
  expect(rows).toEqual([[3]]);
  const share = await asked.ask(['what percentage of invoices were paid on time', 'the second']);
  expect(same(share.rows, [[100 / 3]])).toBe(true);
  await asked.close();
});
