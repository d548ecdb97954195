import { QueryRunner, type TabularColumn, type TabularType } from '@app/tabular';
import { sample } from '../support/long.js';
import { AskedCorpus, same } from '../support/table-corpus.js';

/** What is set side by side, as conditions of SQL: the truth is reckoned from a statement for each. */
interface Truth {
  figure: string;
  sides: [first: string, second: string];
  where?: string;
  /** With which the answer begins. */
  begins?: string;
}

interface Asked {
  filename: string;
  columns: [name: string, type: TabularType, header: string, unit?: string][];
  rows: string;
  questions: [question: string, truth: Truth | null][];
}

const OSLO_BERGEN: Truth['sides'] = [`city = 'Oslo'`, `city = 'Bergen'`];
const YEARS: Truth['sides'] = ['year(order_date) = 2024', 'year(order_date) = 2023'];
const FEBRUARY: Truth['sides'] = [
  `order_date BETWEEN '2024-02-01' AND '2024-02-29'`,
  `order_date BETWEEN '2024-01-01' AND '2024-01-31'`,
];
const REVENUE = 'sum(revenue)';
const cities = (figure = REVENUE, more: Partial<Truth> = {}): Truth => ({ figure, sides: OSLO_BERGEN, ...more });
const years = (figure = REVENUE, more: Partial<Truth> = {}): Truth => ({ figure, sides: YEARS, ...more });

const ORDERS = `(1001,'Oslo','Anna Berg','open','Pump','2023-01-14',10,1200.5,9.5),(1002,'Bergen','Bob Dahl','shipped','Valve','2023-02-03',25,875,4),
  (1003,'Oslo','Anna Berg','shipped','Pump','2023-12-20',5,150.25,9.5),(1004,'Tromsø','Cy Eng','open','Hose','2024-01-11',40,1400,2.25),
  (1005,'Bergen','Bob Dahl','open','Pump','2024-02-05',7,2100,9.75),(1006,'Oslo','Anna Berg','open','Valve','2024-02-19',3,360,4),
  (1007,'Oslo','Dan Foss','shipped','Pump','2024-12-02',18,540.9,9.5),(1008,'Bergen','Cy Eng','shipped','Hose','2024-12-20',2,NULL,2.5),
  (1009,'Oslo','Anna Berg','open','Hose','2024-12-21',1,75,2.25)`;
const orderColumns = ([id, city, customer, status, product, day, quantity, revenue, price]: string[]) =>
  [
    ['order_id', 'integer', id],
    ['city', 'text', city],
    ['customer', 'text', customer],
    ['status', 'text', status],
    ['product', 'text', product],
    ['order_date', 'date', day],
    ['quantity', 'integer', quantity],
    ['revenue', 'number', revenue],
    ['price', 'number', price],
  ] as Asked['columns'];

const shop: Asked = {
  filename: 'shop_orders.csv',
  columns: orderColumns('Order ID,City,Customer,Status,Product,Order Date,Quantity,Revenue,Price'.split(',')),
  rows: ORDERS,
  questions: [
    [
      'How much more revenue did Oslo make than Bergen?',
      cities(REVENUE, { begins: '“Oslo” is 648.35 (21.79 %) below “Bergen”.' }),
    ],
    ['how much less revenue did Oslo make than Bergen', cities()],
    ['how much more revenue did Oslo make in 2024 than in 2023?', years(REVENUE, { where: `city = 'Oslo'` })],
    ['how much more revenue did we make in 2024 than in 2023', years()],
    ['how much more revenue was there in 2024 than in 2023?', years()],
    ['how much more quantity was sold in Oslo than in Bergen', cities('sum(quantity)')],
    ['how many more orders did Oslo have than Bergen?', cities('count(*)')],
    ['how many more orders were there in Oslo than in Bergen?', cities('count(*)')],
    ['how many more customers did Oslo have than Bergen', cities('count(DISTINCT customer)')],
    [
      'how many more open orders than shipped orders are there?',
      { figure: 'count(*)', sides: [`status = 'open'`, `status = 'shipped'`] },
    ],
    ['how many fewer orders did we get in 2023 than in 2024', { figure: 'count(*)', sides: [YEARS[1], YEARS[0]] }],
    ['how much higher was the average revenue in Oslo than in Bergen?', cities('avg(revenue)')],
    [`how much lower is Oslo's revenue than Bergen's?`, cities()],
    ['difference between revenue in 2023 and 2024', years()],
    ['difference between revenue in 2024 and 2023', years()],
    ['What is the difference between revenue in 2023 and revenue in 2024?', years()],
    ['difference between revenue in Oslo and Bergen', cities()],
    ['difference between revenue in Oslo and Bergen in 2024', cities(REVENUE, { where: 'year(order_date) = 2024' })],
    ['difference in revenue between Oslo and Bergen', cities()],
    ['what is the revenue difference between Oslo and Bergen?', cities()],
    ['difference between Oslo and Bergen in revenue', cities()],
    ['the difference in the number of orders between Oslo and Bergen', cities('count(*)')],
    ['difference between the revenue of Pump in Oslo and Bergen', cities(REVENUE, { where: `product = 'Pump'` })],
    [
      'by how many percent did revenue grow from 2023 to 2024',
      years(REVENUE, { begins: '“2024” is 2250.15 (101.1 %) above “2023”.' }),
    ],
    ['by how many percent did sales grow from 2023 to 2024', years()],
    [
      'By what percentage did the revenue of Pump increase between 2023 and 2024?',
      years(REVENUE, { where: `product = 'Pump'` }),
    ],
    ['How much did revenue drop from 2023 to 2024?', years()],
    ['how much did the quantity change in 2024 compared to 2023?', years('sum(quantity)')],
    ['change in revenue from January to February 2024', { figure: REVENUE, sides: FEBRUARY }],
    ['percentage change in average quantity from 2023 to 2024', years('avg(quantity)')],
    ['revenue growth from 2023 to 2024', years()],
    ['change in number of orders from 2023 to 2024', years('count(*)')],
    ['change in revenue in Oslo from 2023 to 2024', years(REVENUE, { where: `city = 'Oslo'` })],
    ['revenue in 2024 vs 2023', years()],
    ['is revenue in Oslo higher than in Bergen?', cities(REVENUE, { begins: '**No.**' })],
    ['Is the revenue lower in Oslo than in Bergen?', cities(REVENUE, { begins: '**Yes.**' })],
    [`Is Oslo's revenue higher than Bergen's?`, cities(REVENUE, { begins: '**No.**' })],
    ['did Oslo make more revenue than Bergen?', cities(REVENUE, { begins: '**No.**' })],
    ['did Oslo have more orders than Bergen?', cities('count(*)', { begins: '**Yes.**' })],
    [
      'did Oslo have more orders in 2024 than in 2023?',
      years('count(*)', { where: `city = 'Oslo'`, begins: '**Yes.**' }),
    ],
    ['were there fewer orders in Oslo than in Bergen?', cities('count(*)', { begins: '**No.**' })],
    [
      'is the revenue of open orders higher than that of shipped orders?',
      { figure: REVENUE, sides: [`status = 'open'`, `status = 'shipped'`], begins: '**Yes.**' },
    ],
    ['Did revenue increase from 2023 to 2024?', years(REVENUE, { begins: '**Yes.**' })],
    ['Did sales drop from 2023 to 2024?', years(REVENUE, { begins: '**No.**' })],
    // Nothing on one side.
    [
      'Did Oslo have more orders than Tromsø in 2023?',
      { figure: 'nullif(count(*), 0)', sides: [`city = 'Oslo'`, `city = 'Tromsø'`], where: 'year(order_date) = 2023' },
    ],
    [
      'how much less revenue did Bergen make than Oslo in December 2024?',
      { figure: REVENUE, sides: [`city = 'Bergen'`, `city = 'Oslo'`], where: `order_date >= '2024-12-01'` },
    ],
    // Of what, of when, and which of them?
    ['difference between price in Oslo and Bergen', null],
    ['change in revenue from January to February', null],
    ['how much more did Oslo make than Bergen?', null],
    ['how much more revenue did Pump make than Oslo?', null],
    ['how much more revenue did Oslo make than Bergen and Tromsø?', null],
    ['how much more revenue did Oslo make than all other cities?', null],
    ['how much more revenue did Oslo make than the average?', null],
    ['how much more revenue did Oslo make than Bergen on average?', null],
    ['how much more revenue did Oslo lose than Bergen?', null],
    ['how much more revenue did Oslo refund than Bergen?', null],
    ['how much more revenue per order did Oslo make than Bergen?', null],
    ['how much more revenue did Oslo make than Bergen by month?', null],
    ['how much more revenue did Oslo make than not Bergen?', null],
    ['how much more revenue did Oslo make than Stavanger?', null],
    ['difference between revenue and quantity', null],
    ['difference between the highest revenue in Oslo and the lowest in Bergen', null],
    ['difference between Oslo and Bergen', null],
    ['is Oslo bigger than Bergen?', null],
    ['growth in revenue in 2024', null],
    ['average growth in revenue from 2023 to 2024', null],
    ['is revenue in Oslo twice as high as in Bergen?', null],
    ['how much more revenue did Oslo almost make than Bergen?', null],
    ['how much more revenue did Oslo make in 2024 than Bergen in 2023?', null],
    ['share of revenue in Oslo higher than in Bergen?', null],
    ['which city grew from 2023 to 2024?', null],
  ],
};

const world: Asked = {
  filename: 'energy.csv',
  columns: [
    ['country', 'text', 'Country'],
    ['year', 'integer', 'Year'],
    ['consumption', 'number', 'Consumption (GWh)'],
    ['margin', 'number', 'Margin', '%'],
    ['profit', 'number', 'Profit', '€'],
  ],
  rows: `('France',2020,400.5,10.5,-100),('France',2021,420,12,50),('Spain',2020,200,8,30),('Spain',2021,190.25,9,30),('Italy',2020,300,7,0),('Italy',2021,300,7.5,20)`,
  questions: [
    ['change in consumption from 2020 to 2021', { figure: 'sum(consumption)', sides: ['year = 2021', 'year = 2020'] }],
    [
      'difference between consumption of France and Spain in 2021',
      { figure: 'sum(consumption)', sides: [`country = 'France'`, `country = 'Spain'`], where: 'year = 2021' },
    ],
    [
      'how much did the average margin change from 2020 to 2021?',
      {
        figure: 'avg(margin)',
        sides: ['year = 2021', 'year = 2020'],
        begins: '“2021” is 1 percentage points above “2020”.',
      },
    ],
    [
      'by how many percent did profit of France grow from 2020 to 2021?',
      {
        figure: 'sum(profit)',
        sides: ['year = 2021', 'year = 2020'],
        where: `country = 'France'`,
        begins: '“2021” is 150 € above “2020”.',
      },
    ],
    [
      'by how many percent did profit of Italy grow from 2020 to 2021?',
      {
        figure: 'sum(profit)',
        sides: ['year = 2021', 'year = 2020'],
        where: `country = 'Italy'`,
        begins: '“2021” is 20 € above “2020”.',
      },
    ],
    [
      'Did the profit of Spain increase from 2020 to 2021?',
      {
        figure: 'sum(profit)',
        sides: ['year = 2021', 'year = 2020'],
        where: `country = 'Spain'`,
        begins: '**No.** “2021” and “2020” are the same.',
      },
    ],
    [
      'is consumption in Italy higher than in Spain?',
      { figure: 'sum(consumption)', sides: [`country = 'Italy'`, `country = 'Spain'`], begins: '**Yes.**' },
    ],
    ['change in margin from 2020 to 2021', null],
  ],
};

const payments: Asked = {
  filename: 'payments.csv',
  columns: [
    ['payer', 'text', 'Payer'],
    ['currency', 'text', 'Currency'],
    ['amount', 'number', 'Amount'],
    ['paid_on', 'date', 'Paid on'],
  ],
  rows: `('Ann','USD',10,'2024-01-02'),('Ann','EUR',20,'2024-01-03'),('Bob','USD',5,'2024-03-02'),('Bob','EUR',50,'2024-04-02'),('Ann','USD',7,'2024-05-05'),('Bob','USD',8,'2024-06-30')`,
  questions: [
    [
      'how much more amount did Ann make than Bob in USD?',
      { figure: 'sum(amount)', sides: [`payer = 'Ann'`, `payer = 'Bob'`], where: `currency = 'USD'` },
    ],
    ['difference between amount of Ann and Bob', null],
    ['difference between amount in USD and EUR', null],
    ['difference in sales between January and March 2024', null],
    // "Payments" are rows, and what they come to.
    ['did Ann have more payments than Bob?', null],
    [
      'how many more payments did Ann have than Bob?',
      { figure: 'count(*)', sides: [`payer = 'Ann'`, `payer = 'Bob'`] },
    ],
  ],
};

const german: Asked = {
  filename: 'verkauf.csv',
  columns: orderColumns('Bestellung,Stadt,Kunde,Status,Produkt,Datum,Menge,Umsatz,Preis'.split(',')),
  rows: ORDERS,
  questions: [
    ['Wie viel mehr Umsatz hat Oslo als Bergen gemacht?', cities()],
    ['Differenz zwischen dem Umsatz in 2023 und 2024', years()],
    ['Was ist der Unterschied beim Umsatz zwischen Oslo und Bergen?', cities()],
    ['Um wie viel Prozent ist die Menge von 2023 auf 2024 gestiegen?', years('sum(quantity)')],
    ['Um wie viel stieg der Umsatz von Januar auf Februar 2024?', { figure: REVENUE, sides: FEBRUARY }],
    ['Veränderung des Umsatzes von 2023 auf 2024', years()],
    ['Ist der Umsatz in Oslo höher als in Bergen?', cities(REVENUE, { begins: '**Nein.**' })],
    [
      'Ist der durchschnittliche Umsatz im Jahr 2024 niedriger als im Jahr 2023?',
      years('avg(revenue)', { begins: '**Nein.**' }),
    ],
    ['Hatte Oslo mehr Bestellungen als Bergen?', cities('count(*)', { begins: '**Ja.**' })],
    ['Wie viele Bestellungen mehr hatte Oslo als Bergen?', cities('count(*)')],
    ['Wie viel mehr Umsatz hat Oslo als Bergen verloren?', null],
    ['Differenz zwischen dem Preis in Oslo und Bergen', null],
  ],
};

const french: Asked = {
  filename: 'ventes.csv',
  columns: orderColumns('Commande,Ville,Client,Statut,Produit,Date,Quantité,Revenu,Prix'.split(',')),
  rows: ORDERS,
  questions: [
    ['Quelle est la différence de revenu entre Oslo et Bergen ?', cities()],
    ['différence entre le revenu en 2023 et celui en 2024', years()],
    ['De combien le revenu a-t-il augmenté de 2023 à 2024 ?', years()],
    ['évolution de la quantité entre 2023 et 2024', years('sum(quantity)')],
    ['variation du revenu de janvier à février 2024', { figure: REVENUE, sides: FEBRUARY }],
    [`Le revenu est-il plus élevé à Oslo qu'à Bergen ?`, cities(REVENUE, { begins: '**Non.**' })],
    [`Est-ce que le revenu à Oslo est plus faible qu'à Bergen ?`, cities(REVENUE, { begins: '**Oui.**' })],
    ['différence de prix entre Oslo et Bergen', null],
  ],
};

const spanish: Asked = {
  filename: 'ventas.csv',
  columns: orderColumns('Pedido,Ciudad,Cliente,Estado,Producto,Fecha,Cantidad,Ingresos,Precio'.split(',')),
  rows: ORDERS,
  questions: [
    ['¿Cuál es la diferencia de ingresos entre Oslo y Bergen?', cities()],
    ['diferencia entre los ingresos en 2023 y 2024', years()],
    ['¿Cuánto crecieron los ingresos de 2023 a 2024?', years()],
    ['crecimiento de la cantidad de 2023 a 2024', years('sum(quantity)')],
    ['variación de los ingresos de enero a febrero de 2024', { figure: REVENUE, sides: FEBRUARY }],
    ['¿Son los ingresos en Oslo mayores que en Bergen?', cities(REVENUE, { begins: '**No.**' })],
    ['¿Tuvo Oslo más pedidos que Bergen?', cities('count(*)', { begins: '**Sí.**' })],
    ['¿Cuántos pedidos más tuvo Oslo que Bergen?', cities('count(*)')],
    ['diferencia de precio entre Oslo y Bergen', null],
  ],
};

/** What its rows are, its name says, and the column that numbers them is called like it. */
const trips: Asked = {
  filename: 'trips.csv',
  columns: [
    ['trip', 'integer', 'Trip'],
    ['city', 'text', 'City'],
    ['order_date', 'date', 'Date'],
    ['hours', 'integer', 'Hours'],
    ['status', 'text', 'Status'],
  ],
  rows: `(1,'Oslo','2024-01-04',5,'open'),(2,'Oslo','2024-02-05',6,'closed'),(3,'Bergen','2024-02-11',2,'open'),
    (4,'Bergen','2023-03-01',8,'closed'),(5,'Oslo','2023-03-09',7,'closed'),(6,'Tromsø','2023-01-14',4,'open')`,
  questions: [
    ['How many more trips in 2024 than in 2023?', years('count(*)', { begins: '“2024” and “2023” are the same.' })],
    ['Did Oslo have more trips than Bergen?', cities('count(*)', { begins: '**Yes.**' })],
    [
      'difference between total hours of open and closed trips',
      { figure: 'sum(hours)', sides: [`status = 'open'`, `status = 'closed'`] },
    ],
    ['is the total of hours in Oslo higher than in Bergen?', cities('sum(hours)', { begins: '**Yes.**' })],
  ],
};

async function open({ filename, columns, rows }: Asked, today?: string): Promise<AskedCorpus> {
  const names = columns.map(([name]) => `"${name}"`).join(', ');
  const own = columns.map(([name, type, originalName, unit]): TabularColumn => {
    return { name, originalName, type, nullable: true, ...(unit === undefined ? {} : { unit }) };
  });
  const name = filename.replace('.csv', '');
  const table = { name, sheet: null, rowCount: 0, columns: own, range: 'A1:Z99', firstRow: 2, contiguous: true };
  const values = `SELECT * FROM (VALUES ${rows}) v(${names})`;
  return AskedCorpus.open({ name, filename, table, rows: values, questions: [] }, today);
}

const LAST_MONTH = `order_date BETWEEN '2024-11-01' AND '2024-11-30'`;
const DECEMBER = `order_date BETWEEN '2024-12-01' AND '2024-12-31'`;

const between = (from: string, to: string) => `order_date BETWEEN '2024-${from}' AND '2024-${to}'`;

const italian: Asked = {
  filename: 'ordini.csv',
  columns: orderColumns('Ordine,Città,Cliente,Stato,Prodotto,Data ordine,Quantità,Ricavo,Prezzo'.split(',')),
  rows: ORDERS,
  questions: [],
};
const portuguese: Asked = {
  filename: 'pedidos.csv',
  columns: orderColumns('Pedido,Cidade,Cliente,Estado,Produto,Data do pedido,Quantidade,Receita,Preço'.split(',')),
  rows: ORDERS,
  questions: [],
};
const dutch: Asked = {
  filename: 'bestellingen.csv',
  columns: orderColumns('Bestelling,Stad,Klant,Status,Product,Besteldatum,Aantal,Omzet,Prijs'.split(',')),
  rows: ORDERS,
  questions: [],
};
const arabic: Asked = {
  filename: 'الطلبات.csv',
  columns: orderColumns('رقم الطلب,المدينة,العميل,الحالة,المنتج,تاريخ الطلب,الكمية,الإيرادات,السعر'.split(',')),
  rows: ORDERS,
  questions: [],
};

/** Names and values that read like times of today. */
const report: Asked = {
  filename: 'products.csv',
  columns: [
    ['product', 'text', 'Product'],
    ['last_month', 'number', 'Last Month'],
    ['last_30_days', 'number', 'Last 30 Days'],
    ['due', 'text', 'Due'],
    ['added', 'date', 'Added'],
  ],
  rows: `('Pump',10,12,'this week','2024-11-05'),('Valve',20,25,'next week','2024-12-17'),('Hose',5,3,'this week','2024-12-18')`,
  questions: [],
};

const yearly: Asked = {
  filename: 'figures.csv',
  columns: [
    ['year', 'integer', 'Year'],
    ['city', 'text', 'City'],
    ['revenue', 'number', 'Revenue'],
  ],
  rows: `(2019,'Oslo',1),(2020,'Oslo',2),(2021,'Oslo',4),(2022,'Oslo',8),(2023,'Oslo',16),(2024,'Oslo',32)`,
  questions: [],
};
const logged: Asked = {
  filename: 'calls.csv',
  columns: [
    ['at', 'datetime', 'At'],
    ['city', 'text', 'City'],
    ['minutes', 'number', 'Minutes'],
  ],
  rows: `('2024-12-21 23:59:59'::timestamp,'Oslo',1),('2024-12-15 00:00:00','Oslo',2),('2024-12-14 23:59:59','Oslo',4)`,
  questions: [],
};

/** Asked on 21 December 2024, of the orders: what the answer rests on, and the words that say so. */
const FROM_TODAY: [asked: Asked, question: string, expected: string | null, says?: string][] = [
  [
    shop,
    'revenue this year',
    'SELECT sum(revenue) FROM t WHERE year(order_date) = 2024',
    '“this year” was taken for “2024”',
  ],
  [
    shop,
    'total revenue last year',
    'SELECT sum(revenue) FROM t WHERE year(order_date) = 2023',
    '“last year” was taken for “2023”',
  ],
  [shop, 'how many orders last month?', `SELECT count(*) FROM t WHERE ${LAST_MONTH}`, 'No rows match.'],
  [
    shop,
    'how many orders were there this month',
    `SELECT count(*) FROM t WHERE ${DECEMBER}`,
    '“this month” was taken for “December 2024”',
  ],
  [
    shop,
    'how many orders yesterday',
    `SELECT count(*) FROM t WHERE order_date = '2024-12-20'`,
    '“yesterday” was taken for “2024-12-20”',
  ],
  [
    shop,
    'revenue today',
    `SELECT sum(revenue) FROM t WHERE order_date = '2024-12-21'`,
    '“today” was taken for “2024-12-21”',
  ],
  [
    shop,
    'average quantity in the previous quarter',
    `SELECT avg(quantity) FROM t WHERE order_date BETWEEN '2024-07-01' AND '2024-09-30'`,
    'No rows match.',
  ],
  [
    shop,
    'revenue in Oslo this quarter',
    `SELECT sum(revenue) FROM t WHERE city = 'Oslo' AND order_date >= '2024-10-01'`,
    '“Q4 2024”',
  ],
  [
    shop,
    'orders since last month',
    `SELECT * FROM t WHERE order_date >= '2024-11-01'`,
    '“last month” was taken for “November 2024”',
  ],
  [
    shop,
    'how much more revenue did we make this year than last year?',
    `SELECT a, b, a - b, 100 * (a - b) / b FROM (SELECT (SELECT sum(revenue) FROM t WHERE year(order_date) = 2024) a, (SELECT sum(revenue) FROM t WHERE year(order_date) = 2023) b)`,
    '“2024” is',
  ],
  [trips, 'how many trips this year?', 'SELECT count(*) FROM t WHERE year(order_date) = 2024', '“2024”'],
  [trips, 'list the trips in Oslo', `SELECT * FROM t WHERE city = 'Oslo'`],
  [trips, 'hours of open trips', `SELECT sum(hours) FROM t WHERE status = 'open'`, 'summed up'],
  [trips, 'average hours of trips', 'SELECT avg(hours) FROM t'],
  [shop, 'how many orders last week', `SELECT count(*) FROM t WHERE ${between('12-09', '12-15')}`, 'No rows match.'],
  [
    shop,
    'revenue in the last 30 days',
    `SELECT sum(revenue) FROM t WHERE ${between('11-22', '12-21')}`,
    '“last 30 days” was taken for “2024-11-22 – 2024-12-21”',
  ],
  [
    shop,
    'how much revenue did we make over the past three months?',
    `SELECT sum(revenue) FROM t WHERE ${between('09-22', '12-21')}`,
    '“over the past three months” was taken for “2024-09-22 – 2024-12-21”',
  ],
  [shop, 'orders in the past week', `SELECT * FROM t WHERE ${between('12-15', '12-21')}`, '2024-12-15 – 2024-12-21'],
  [
    shop,
    'revenue this week',
    `SELECT sum(revenue) FROM t WHERE ${between('12-16', '12-22')}`,
    '2024-12-16 – 2024-12-22',
  ],
  [
    shop,
    'number of orders in the next 2 weeks',
    `SELECT count(*) FROM t WHERE order_date BETWEEN '2024-12-21' AND '2025-01-03'`,
    '2024-12-21 – 2025-01-03',
  ],
  [
    shop,
    'revenue next month',
    `SELECT sum(revenue) FROM t WHERE order_date BETWEEN '2025-01-01' AND '2025-01-31'`,
    'No rows match.',
  ],
  [
    shop,
    'revenue by city in the last 12 months',
    `SELECT city, sum(revenue) FROM t WHERE order_date BETWEEN '2023-12-22' AND '2024-12-21' GROUP BY 1`,
    '2023-12-22 – 2024-12-21',
  ],
  [
    shop,
    'revenue in Oslo during the last 7 days',
    `SELECT sum(revenue) FROM t WHERE city = 'Oslo' AND ${between('12-15', '12-21')}`,
  ],
  [shop, 'orders placed within the last 10 days', `SELECT * FROM t WHERE ${between('12-12', '12-21')}`],
  [shop, 'which orders came in over the last 3 weeks?', `SELECT * FROM t WHERE ${between('12-01', '12-21')}`],
  [shop, 'how many orders since last week?', `SELECT count(*) FROM t WHERE order_date >= '2024-12-09'`],
  [shop, 'how many orders before this week?', `SELECT count(*) FROM t WHERE order_date < '2024-12-16'`],
  [shop, 'orders in the last 0 days', null],
  [shop, 'revenue in the previous 30 days', null],
  [shop, 'revenue in the last 30 days vs previous 30 days', null],
  [shop, 'revenue in the last 2 weeks of November', null],
  [shop, 'revenue in the last quarter of 2023', null],
  [
    shop,
    'average price of the last 30 days in Bergen',
    `SELECT avg(price) FROM t WHERE city = 'Bergen' AND ${between('11-22', '12-21')}`,
  ],
  [
    shop,
    'did Oslo make more revenue than Bergen in the last 30 days?',
    `SELECT a, b, a - b, 100 * (a - b) / b FROM (SELECT (SELECT sum(revenue) FROM t WHERE city = 'Oslo' AND ${between('11-22', '12-21')}) a, (SELECT sum(revenue) FROM t WHERE city = 'Bergen' AND ${between('11-22', '12-21')}) b)`,
  ],
  [
    german,
    'Wie hoch war der Umsatz in den vergangenen zwei Wochen?',
    `SELECT sum(revenue) FROM t WHERE ${between('12-08', '12-21')}`,
  ],
  [
    german,
    'Umsatz der letzten 12 Monate je Stadt',
    `SELECT city, sum(revenue) FROM t WHERE order_date BETWEEN '2023-12-22' AND '2024-12-21' GROUP BY 1`,
  ],
  [
    french,
    'revenu total au cours des 7 derniers jours',
    `SELECT sum(revenue) FROM t WHERE ${between('12-15', '12-21')}`,
  ],
  [spanish, 'cuántos pedidos hubo esta semana', `SELECT count(*) FROM t WHERE ${between('12-16', '12-22')}`],
  [
    german,
    'Umsatz in den letzten 30 Tagen',
    `SELECT sum(revenue) FROM t WHERE ${between('11-22', '12-21')}`,
    '2024-11-22 – 2024-12-21',
  ],
  [
    german,
    'Wie viele Bestellungen gab es diese Woche?',
    `SELECT count(*) FROM t WHERE ${between('12-16', '12-22')}`,
    '2024-12-16',
  ],
  [
    french,
    'revenu total des 30 derniers jours',
    `SELECT sum(revenue) FROM t WHERE ${between('11-22', '12-21')}`,
    '2024-11-22 – 2024-12-21',
  ],
  [
    spanish,
    'ingresos totales de los últimos tres meses',
    `SELECT sum(revenue) FROM t WHERE ${between('09-22', '12-21')}`,
    '2024-09-22 – 2024-12-21',
  ],
  [
    german,
    'Wie hoch war der Umsatz im letzten Jahr?',
    'SELECT sum(revenue) FROM t WHERE year(order_date) = 2023',
    '“letzten Jahr” wurde als “2023” verstanden',
  ],
  [german, 'Umsatz in diesem Monat', `SELECT sum(revenue) FROM t WHERE ${DECEMBER}`, '“Dezember 2024”'],
  [french, `chiffre du revenu l'année dernière`, null],
  [french, `revenu total de cette année`, 'SELECT sum(revenue) FROM t WHERE year(order_date) = 2024', '“2024”'],
  [spanish, 'ingresos totales este mes', `SELECT sum(revenue) FROM t WHERE ${DECEMBER}`, 'diciembre 2024'],
  [spanish, 'cuántos pedidos hubo el año pasado', 'SELECT count(*) FROM t WHERE year(order_date) = 2023', '2023'],
  [french, `revenu total de l'année dernière`, 'SELECT sum(revenue) FROM t WHERE year(order_date) = 2023'],
  [french, 'revenu total de la semaine dernière', `SELECT sum(revenue) FROM t WHERE ${between('12-09', '12-15')}`],
  [spanish, 'ingresos totales del año pasado', 'SELECT sum(revenue) FROM t WHERE year(order_date) = 2023'],
  [italian, 'ricavo totale degli ultimi 30 giorni', `SELECT sum(revenue) FROM t WHERE ${between('11-22', '12-21')}`],
  [italian, `ricavo totale dell'anno scorso`, 'SELECT sum(revenue) FROM t WHERE year(order_date) = 2023'],
  [italian, 'ricavo totale di questo mese', `SELECT sum(revenue) FROM t WHERE ${DECEMBER}`],
  [italian, 'ricavo totale nella scorsa settimana', `SELECT sum(revenue) FROM t WHERE ${between('12-09', '12-15')}`],
  [portuguese, 'receita total nos últimos 30 dias', `SELECT sum(revenue) FROM t WHERE ${between('11-22', '12-21')}`],
  [portuguese, 'receita total no ano passado', 'SELECT sum(revenue) FROM t WHERE year(order_date) = 2023'],
  [portuguese, 'receita total neste mês', `SELECT sum(revenue) FROM t WHERE ${DECEMBER}`],
  [dutch, 'totale omzet in de afgelopen 30 dagen', `SELECT sum(revenue) FROM t WHERE ${between('11-22', '12-21')}`],
  [dutch, 'totale omzet vorig jaar', 'SELECT sum(revenue) FROM t WHERE year(order_date) = 2023'],
  [dutch, 'totale omzet van deze maand', `SELECT sum(revenue) FROM t WHERE ${DECEMBER}`],
  [arabic, 'مجموع الإيرادات في آخر 30 يوما', `SELECT sum(revenue) FROM t WHERE ${between('11-22', '12-21')}`],
  [arabic, 'مجموع الإيرادات هذا الأسبوع', `SELECT sum(revenue) FROM t WHERE ${between('12-16', '12-22')}`],
  [arabic, 'مجموع الإيرادات في العام الماضي', 'SELECT sum(revenue) FROM t WHERE year(order_date) = 2023'],
  [report, 'total last month', 'SELECT sum(last_month) FROM t'],
  [report, 'sum of last 30 days', 'SELECT sum(last_30_days) FROM t'],
  [report, 'last month of Pump', `SELECT last_month FROM t WHERE product = 'Pump'`],
  [report, 'how many products this week', null],
  [report, 'how many products are due next week?', `SELECT count(*) FROM t WHERE due = 'next week'`],
  [
    report,
    'how many products were added last week?',
    `SELECT count(*) FROM t WHERE added BETWEEN '2024-12-09' AND '2024-12-15'`,
  ],
  [
    report,
    'how many products were added in the last 7 days?',
    `SELECT count(*) FROM t WHERE added BETWEEN '2024-12-15' AND '2024-12-21'`,
  ],
  [yearly, 'total revenue last year', 'SELECT sum(revenue) FROM t WHERE year = 2023'],
  [yearly, 'total revenue in the last 3 years', null],
  [yearly, 'total revenue last month', null],
  [logged, 'minutes in the last 7 days', `SELECT sum(minutes) FROM t WHERE "at" >= '2024-12-15'`],
];

/** Each figure by a statement of its own, and the arithmetic here. */
async function figuresOf(asked: AskedCorpus, { figure, sides, where = 'true' }: Truth): Promise<unknown[]> {
  const [one, other] = await Promise.all(
    sides.map(async (side) => {
      const [row] = await asked.query(`SELECT ${figure} FROM "${asked.corpus.table.name}" WHERE ${where} AND ${side}`);
      return (row![0] ?? null) as number | null;
    }),
  );
  if (one === null || other === null) return [one, other, null, null];
  return [one, other, one! - other!, other! > 0 ? (100 * (one! - other!)) / other! : null];
}

describe.each(sample([shop, trips, world, payments, german, french, spanish], 4))(
  'two figures side by side, of $filename',
  (corpus) => {
    let asked: AskedCorpus;

    beforeAll(async () => {
      asked = await open(corpus);
    });

    afterAll(() => asked.close());

    it.each(sample(corpus.questions, 2))('%s', async (question, truth) => {
      const { status, answer, rows } = await asked.ask([question]);
      if (truth === null) return expect(`${status}: ${answer}`).toMatch(/^(refused|clarification)/);
      const right = await figuresOf(asked, truth);
      expect({ answer, status, right: same(rows, [right]) || rows }).toMatchObject({
        status: 'completed',
        right: true,
      });
      if (truth.begins) expect(answer.startsWith(truth.begins) || answer).toBe(true);
    });

    it('is answered alike by the process that guards statements', async () => {
      const own = await Promise.all(corpus.questions.map(([question]) => asked.ask([question])));
      const answered = own.filter(({ sql }) => sql !== null);
      const { name } = asked.corpus.table;
      await asked.checkpoint();
      const runner = new QueryRunner();
      try {
        const results = await runner.run({
          asker: 'a',
          files: [{ path: asked.copy, tables: [{ name, alias: name }] }],
          statements: answered.map(({ sql }) => sql!),
        });
        expect(results.filter(({ rows }, at) => !same(rows, answered[at]!.rows))).toEqual([]);
      } finally {
        await runner.onModuleDestroy();
      }
    });
  },
);

describe('times that are told from today', () => {
  const opened = new Map<Asked, Promise<AskedCorpus>>();
  const openOnce = (corpus: Asked): Promise<AskedCorpus> => {
    const asked = opened.get(corpus) ?? open(corpus, '2024-12-21');
    opened.set(corpus, asked);
    return asked;
  };

  afterAll(async () => {
    for (const asked of opened.values()) await (await asked).close();
  });

  const questions = sample(FROM_TODAY, 5).map(
    ([corpus, question, expected, says = '']) => [question, corpus.filename, corpus, expected, says] as const,
  );
  it.each(questions)('%s (%s)', async (question, _name, corpus, expected, says) => {
    const asked = await openOnce(corpus);
    const { status, answer, rows } = await asked.ask([question]);
    if (expected === null) return expect(`${status}: ${answer}`).toMatch(/^(refused|clarification)/);
    const right = await asked.query(expected.replace(/\bt\b/g, `"${asked.corpus.table.name}"`));
    expect({ answer, status, right: same(rows, right) || rows }).toMatchObject({ status: 'completed', right: true });
    expect(answer).toContain(says);
  });

  it('are of one date: of several it is asked which', async () => {
    const columns = [
      ...shop.columns.slice(0, 5),
      ['order_date', 'date', 'Order Date'],
      ['shipped_on', 'date', 'Shipped on'],
    ];
    const rows = `(1,'Oslo','Ann','open','Pump','2024-12-01','2024-12-02'),(2,'Oslo','Ann','open','Pump','2024-11-01','2024-12-03')`;
    const asked = await open({ ...shop, columns: columns as Asked['columns'], rows }, '2024-12-21');
    const { status, answer } = await asked.ask(['how many orders this month']);
    expect(`${status}: ${answer}`).toMatch(/^clarification: .*“Order Date”, “Shipped on”/);
    expect((await asked.ask(['how many orders with Shipped on this month'])).rows).toEqual([[2]]);
    await asked.close();
  });
});
