import type { TabularColumn, TabularType } from '@app/tabular';
import { AskedCorpus, same } from '../support/table-corpus.js';

type Column = [header: string, type: TabularType];
type Asked = [question: string, rows: unknown[][]];

async function open(name: string, columns: Column[], rows: string): Promise<AskedCorpus> {
  const own = columns.map(([header, type]): TabularColumn => {
    const nullable = header === 'Unit Price';
    return { name: header.toLowerCase().replaceAll(' ', '_'), originalName: header, type, nullable };
  });
  const table = { name, sheet: null, rowCount: 0, columns: own, range: 'A1:Z99', firstRow: 2, contiguous: true };
  const names = own.map((column) => `"${column.name}"`).join(', ');
  const values = `SELECT * FROM (VALUES ${rows}) v(${names})`;
  return AskedCorpus.open({ name, filename: `${name}.csv`, table, rows: values, questions: [] }, '2026-11-30');
}

const INVENTORY: Parameters<typeof open> = [
  'inventory',
  [
    ['Product', 'text'],
    ['Category', 'text'],
    ['Supplier', 'text'],
    ['Stock', 'integer'],
    ['Reorder Level', 'integer'],
    ['Unit Price', 'number'],
  ],
  // 50, 120, 0, 120, unknown
  `('Mug','Kitchen','Acme',10,20,5.0),('Lamp','Office','Best',4,3,30.0),('Pan','Kitchen','Acme',0,5,40.0),
   ('Desk','Office','Best',1,1,120.0),('Bowl','Kitchen','Best',7,2,NULL)`,
];
const SALES: Parameters<typeof open> = [
  'sales',
  [
    ['Date', 'date'],
    ['Product', 'text'],
    ['Region', 'text'],
    ['Customer', 'text'],
    ['Quantity', 'integer'],
    ['Unit Price', 'number'],
  ],
  // 10, 30, 60, 5
  `('2026-01-05','Mug','North','Ann Lee',2,5.0),('2026-01-20','Lamp','South','Bob Ray',1,30.0),
   ('2026-02-02','Lamp','North','Ann Lee',2,30.0),('2026-02-03','Mug','South','Bob Ray',1,5.0)`,
];
const FINANCE: Parameters<typeof open> = [
  'finance',
  [
    ['Department', 'text'],
    ['Quarter', 'text'],
    ['Revenue', 'number'],
    ['Cost', 'number'],
  ],
  // 20, -20, 40, 5
  `('IT','Q1',100,80),('IT','Q2',60,80),('HR','Q1',50,10),('HR','Q2',15,10)`,
];
const BUDGET: Parameters<typeof open> = [
  'budgets',
  [
    ['Department', 'text'],
    ['Budget', 'number'],
    ['Actual', 'number'],
  ],
  `('IT',100,120),('HR',50,50),('Ops',70,60)`,
];
const CAMPAIGNS: Parameters<typeof open> = [
  'campaigns',
  [
    ['Campaign', 'text'],
    ['Channel', 'text'],
    ['Impressions', 'integer'],
    ['Clicks', 'integer'],
    ['Conversions', 'integer'],
    ['Spend', 'number'],
  ],
  // 10 %, 2 %, 5 %, none was clicked
  `('Spring','Email',1000,100,10,50),('Summer','Email',1000,50,1,30),('Autumn','Search',400,20,1,20),('Winter','Search',100,0,0,5)`,
];
const MARGINS: Parameters<typeof open> = [
  'shops',
  [
    ['Shop', 'text'],
    ['Revenue', 'number'],
    ['Cost', 'number'],
    ['Employees', 'integer'],
  ],
  // 20 %, 50 %
  `('A',200,160,4),('B',100,50,1)`,
];
const LAGER: Parameters<typeof open> = [
  'lager',
  [
    ['Artikel', 'text'],
    ['Kategorie', 'text'],
    ['Bestand', 'integer'],
    ['Mindestbestand', 'integer'],
    ['Einzelpreis', 'number'],
  ],
  `('Becher','Küche',10,20,5.0),('Lampe','Büro',4,3,30.0),('Topf','Küche',0,5,40.0)`,
];

const ASKED: [about: string, table: Parameters<typeof open>, questions: Asked[]][] = [
  [
    'what is in store',
    INVENTORY,
    [
      ['What is the total stock value?', [[290]]],
      ['What is the value of our inventory?', [[290]]],
      ['how much is our stock worth', [[290]]],
      ['total value of stock from Acme', [[50]]],
      [
        'stock value by category',
        [
          ['Office', 240],
          ['Kitchen', 50],
        ],
      ],
      ['which supplier has the highest inventory value', [['Best', 240]]],
      ['products with a stock value over 100', [['Desk'], ['Lamp']]],
      ['Which products are below reorder level?', [['Mug'], ['Pan']]],
      ['products where stock is less than the reorder level', [['Mug'], ['Pan']]],
      ['how many products are above their reorder level', [[2]]],
      ['which products need to be reordered', [['Desk'], ['Mug'], ['Pan']]],
      ['products with low stock in Office', [['Desk']]],
      ['total stock', [[22]]],
    ],
  ],
  [
    'what was taken in',
    SALES,
    [
      ['total revenue', [[105]]],
      ['total sales', [[105]]],
      ['what were total sales in January 2026', [[40]]],
      [
        'revenue by product',
        [
          ['Lamp', 90],
          ['Mug', 15],
        ],
      ],
      ['which region has the highest sales', [['North', 70]]],
      ['which customer spent the most', [['Ann Lee', 70]]],
      ['how much did Bob Ray spend', [[35]]],
      ['average unit price', [[17.5]]],
      ['how many sales were there', [[4]]],
      ['quantity times unit price in the North', [[70]]],
    ],
  ],
  [
    'profits',
    FINANCE,
    [
      ['total profit', [[45]]],
      ['profit of IT', [[0]]],
      [
        'profit by department',
        [
          ['HR', 45],
          ['IT', 0],
        ],
      ],
      ['which quarter had the lowest profit', [['Q2', -15]]],
      ['revenue minus cost', [[45]]],
    ],
  ],
  [
    'plans',
    BUDGET,
    [
      ['which departments are over budget', [['IT']]],
      ['departments within budget', [['HR'], ['Ops']]],
      ['how many departments exceeded their budget', [[1]]],
      ['departments under budget', [['Ops']]],
      ['departments where actual is at least budget', [['HR'], ['IT']]],
    ],
  ],
  [
    'rates',
    CAMPAIGNS,
    [
      ['conversion rate', [[(100 * 12) / 170]]],
      [
        'conversion rate by channel',
        [
          ['Email', (100 * 11) / 150],
          ['Search', 5],
        ],
      ],
      ['What is the click-through rate of Email?', [[7.5]]],
      ['cost per click', [[105 / 170]]],
      ['which channel has the lowest cost per conversion', [['Email', 80 / 11]]],
      ['how many campaigns had a conversion rate above 4 %', [[2]]],
      ['which campaign has the highest conversion rate', [['Spring', 'Email', 1000, 100, 10, 50, 10]]],
      // The Winter's, too: nobody clicked, which costs all the same.
      ['spend per click of Search', [[25 / 20]]],
    ],
  ],
  [
    'margins',
    MARGINS,
    [
      ['profit margin', [[30]]],
      [
        'profit margin by shop',
        [
          ['A', 20],
          ['B', 50],
        ],
      ],
      ['Gewinnmarge', [[30]]],
      ['revenue per employee', [[60]]],
    ],
  ],
  [
    'what is in store, in German',
    LAGER,
    [
      ['Wie hoch ist der Lagerwert?', [[170]]],
      [
        'Lagerwert nach Kategorie',
        [
          ['Büro', 120],
          ['Küche', 50],
        ],
      ],
      ['Welche Artikel liegen unter dem Mindestbestand?', [['Becher'], ['Topf']]],
    ],
  ],
];

describe.each(ASKED)('figures that two columns make together: %s', (_about, table, questions) => {
  let asked: AskedCorpus;

  beforeAll(async () => {
    asked = await open(...table);
  });

  afterAll(() => asked.close());

  it.each(questions)('%s', async (question, expected) => {
    const answered = await asked.ask([question]);
    const right = same(answered.rows, expected);
    expect({ ...answered, right }).toMatchObject({ status: 'completed', right: true });
  });
});

it('says what it was reckoned from, and what is left out', async () => {
  const asked = await open(...INVENTORY);
  const { answer } = await asked.ask(['total stock value']);
  expect(answer).toContain('“Stock × Unit Price”');
  expect(answer).toContain('1 of the 5 rows has no “Stock × Unit Price”');
  await asked.close();
});

it('multiplies whole numbers, however large', async () => {
  const columns: Column[] = [
    ['Product', 'text'],
    ['Stock', 'integer'],
    ['Unit Price', 'integer'],
  ];
  const asked = await open('stock', columns, `('Mug',900000000000,900000000),('Pan',3,7)`);
  const { status, rows } = await asked.ask(['total stock value']);
  expect([status, Number(rows[0]![0])]).toEqual(['completed', 81e19]);
  const highest = await asked.ask(['which product has the highest stock value']);
  expect([highest.status, highest.rows[0]![0]]).toEqual(['completed', 'Mug']);
  await asked.close();
});

it('asks back which average of quotients is meant, and whether one row or all of a thing', async () => {
  const asked = await open(...CAMPAIGNS);
  const averaged = await asked.ask(['average conversion rate']);
  expect(averaged.status).toBe('clarification');
  expect(averaged.answer).toContain('sum of “Conversions” ÷ sum of “Clicks”');
  const chosen = await asked.ask(['average conversion rate', 'the second']);
  expect(same(chosen.rows, [[17 / 3]])).toBe(true);
  const channels = await asked.ask(['channels with a conversion rate below 6 %']);
  expect(channels.status).toBe('clarification');
  expect(channels.answer).toContain('sum of “Conversions” ÷ sum of “Clicks” < 6');
  await asked.close();
});

it('asks back where one row is meant, or all of a department or a month together', async () => {
  const [, columns] = BUDGET;
  const asked = await open('budgets', columns, `('IT',100,120),('IT',100,50),('HR',50,60),('HR',50,70)`);
  const { status, answer } = await asked.ask(['which departments are over budget']);
  expect(status).toBe('clarification');
  expect(answer).toContain('“Actual − Budget” > 0: **HR, IT**');
  expect(answer).toContain('sum of “Actual − Budget” > 0: **HR**');
  await asked.close();

  const months: Column[] = [
    ['Month', 'date'],
    ['Department', 'text'],
    ['Revenue', 'number'],
    ['Cost', 'number'],
  ];
  const rows = `('2026-01-01','IT',100,80),('2026-01-01','HR',10,20),('2026-02-01','IT',10,80),('2026-02-01','HR',10,20)`;
  const monthly = await open('finance', months, rows);
  const counted = await monthly.ask(['how many months had costs above revenue']);
  expect(counted.status).toBe('clarification');
  expect(counted.answer).toMatch(/\*\*2\*\*[^]*\*\*1\*\*/);
  await monthly.close();
});
