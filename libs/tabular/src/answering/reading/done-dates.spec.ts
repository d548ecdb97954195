import type { AskedColumn, AskedTable } from '../asked-table.js';
import { filledColumn as column, tableOf } from './asked-table.spec-support.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const done = (name: string, more: Partial<AskedColumn> = {}) =>
  column(name, 'date', { nullable: true, span: ['2026-01-02', '2026-11-28'], ...more });
const values = (name: string, ...own: string[]) => column(name, 'text', { values: own, complete: true });

const COLUMNS = [
  column('ticket_id', 'text', { unique: true }),
  column('opened_on', 'date', { span: ['2026-01-01', '2026-11-20'] }),
  done('closed_on'),
  values('channel', 'email', 'phone'),
  column('minutes', 'integer'),
];
const tickets = tableOf('tickets', COLUMNS);
const orders = tableOf('orders', [
  column('order_id', 'text', { unique: true }),
  column('order_date', 'date', { span: ['2026-01-01', '2026-11-20'] }),
  done('ship_date'),
  done('paid_at'),
  values('country', 'Norway', 'Chile'),
  column('total', 'number'),
]);

function read(question: string, table: AskedTable): string {
  const { reading } = readQuestion(question, [table], [], '2026-11-30');
  return reading?.kind === 'query' ? readingSql(reading) : (reading?.kind ?? 'refused');
}
const conditionOf = (question: string, table: AskedTable) =>
  / WHERE (.*?)(?: GROUP| ORDER| LIMIT|$)/.exec(read(question, table))?.[1] ?? read(question, table);

describe('what only a date tells', () => {
  it.each([
    'how many tickets are closed?',
    'how many closed tickets are there',
    'number of closed tickets',
    'list the closed tickets',
    'which tickets are closed',
    'how many tickets were already closed',
    'closed tickets',
    'how many tickets have been closed',
    'tickets that are closed',
    'tickets that are not open',
  ])('%s: the day is known', (question) => {
    expect(conditionOf(question, tickets)).toBe('"closed_on" IS NOT NULL');
  });

  it.each([
    'how many tickets are not closed?',
    'how many tickets are not yet closed?',
    'which tickets are not closed yet',
    'how many tickets are open',
    'how many open tickets do we have',
    'which tickets are still open?',
    'list open tickets',
    'tickets still open',
    'how many tickets were never closed',
    'how many tickets have not been closed',
    'unclosed tickets',
    'pending tickets',
    'tickets that are still open',
    'tickets that have not been closed yet',
    'except closed tickets',
  ])('%s: the day is not known', (question) => {
    expect(conditionOf(question, tickets)).toBe('"closed_on" IS NULL');
  });

  it.each([
    ['how many unpaid orders', '"paid_at" IS NULL'],
    ['which orders are not paid', '"paid_at" IS NULL'],
    ['total of unpaid orders', '"paid_at" IS NULL'],
    ['how many orders were shipped', '"ship_date" IS NOT NULL'],
    ['orders not shipped', '"ship_date" IS NULL'],
    ['how many unshipped orders', '"ship_date" IS NULL'],
    ['unpaid orders from Norway', `"paid_at" IS NULL AND "country" = 'Norway'`],
    ['total of paid orders by country', '"paid_at" IS NOT NULL'],
    ['orders shipped but not paid', '"ship_date" IS NOT NULL AND "paid_at" IS NULL'],
    ['how many shipped orders are not paid', '"ship_date" IS NOT NULL AND "paid_at" IS NULL'],
  ])('%s', (question, condition) => {
    expect(conditionOf(question, orders)).toBe(condition);
  });

  it('beside other conditions, groups and figures', () => {
    expect(read('open tickets by channel', tickets)).toContain('count(*)');
    expect(conditionOf('how many open email tickets', tickets)).toContain('"closed_on" IS NULL');
    expect(read('average minutes of closed tickets', tickets)).toBe(
      'SELECT avg("minutes") AS "avg_minutes" FROM "tickets" WHERE "closed_on" IS NOT NULL',
    );
  });

  it.each([
    ['wie viele Tickets sind geschlossen?', '"geschlossen_am" IS NOT NULL'],
    ['wie viele Tickets sind noch nicht geschlossen?', '"geschlossen_am" IS NULL'],
    ['wie viele offene Tickets gibt es?', '"geschlossen_am" IS NULL'],
    ['wie viele Tickets sind noch offen?', '"geschlossen_am" IS NULL'],
  ])('%s', (question, condition) => {
    const german = tableOf('tickets', [
      COLUMNS[0]!,
      column('eröffnet_am', 'date', { span: ['2026-01-01', '2026-11-20'] }),
      done('geschlossen_am'),
      ...COLUMNS.slice(3),
    ]);
    expect(conditionOf(question, german)).toBe(condition);
  });

  it.each([
    ['wie viele Rechnungen sind unbezahlt?', 'Rechnungen', 'bezahlt_am', false],
    ['wie viele bezahlte Rechnungen gibt es?', 'Rechnungen', 'bezahlt_am', true],
    ['wie viele offene Rechnungen gibt es?', 'Rechnungen', 'Zahlungsdatum', false],
    ['combien de factures sont payées ?', 'factures', 'payée_le', true],
    ['combien de factures ne sont pas encore payées ?', 'factures', 'payée_le', false],
    ['combien de factures impayées', 'factures', 'payée_le', false],
    ['combien de factures sont encore ouvertes ?', 'factures', 'date_paiement', false],
    ['¿cuántas facturas están pagadas?', 'facturas', 'pagada_el', true],
    ['¿cuántas facturas no están pagadas?', 'facturas', 'pagada_el', false],
    ['¿cuántas facturas pendientes hay?', 'facturas', 'fecha_pago', false],
    ['quanti ordini sono spediti?', 'ordini', 'spedito_il', true],
    ['quanti ordini non sono ancora spediti?', 'ordini', 'spedito_il', false],
    ['quantas faturas estão pagas?', 'faturas', 'paga_em', true],
    ['quantas faturas ainda não estão pagas?', 'faturas', 'paga_em', false],
    ['hoeveel facturen zijn betaald?', 'facturen', 'betaald_op', true],
    ['hoeveel facturen zijn nog niet betaald?', 'facturen', 'betaald_op', false],
    ['hoeveel onbetaalde facturen zijn er?', 'facturen', 'betaald_op', false],
    ['hoeveel openstaande facturen zijn er?', 'facturen', 'betaald_op', false],
  ])('%s', (question, name, date, known) => {
    const table = tableOf(name, [COLUMNS[0]!, done(date), column('total', 'number')]);
    expect(conditionOf(question, table)).toBe(`"${date}" IS ${known ? 'NOT ' : ''}NULL`);
  });

  it('those of one are theirs', () => {
    const table = tableOf('tickets', [...COLUMNS, values('agent', 'Ann', 'Bob')]);
    expect(conditionOf('tickets closed by Ann', table)).toBe(`"closed_on" IS NOT NULL AND "agent" = 'Ann'`);
    // They may be closed by somebody else.
    expect(read('tickets not closed by Ann', table)).toBe('refused');
    // Who has open ones may have closed ones, too.
    expect(read('agents without open tickets', table)).toBe('refused');
  });

  it('last rows of those that are not done go by their own date', () => {
    expect(read('the last 5 open tickets', tickets)).toBe(
      'SELECT * FROM "tickets" WHERE "closed_on" IS NULL ORDER BY "opened_on" DESC NULLS LAST LIMIT 5',
    );
    expect(conditionOf('tickets opened in March 2026 that are not closed', tickets)).toBe(
      `"opened_on" >= DATE '2026-03-01' AND "opened_on" < DATE '2026-04-01' AND "closed_on" IS NULL`,
    );
  });

  it.each(['closed tickets in March 2026', 'how many closed tickets in March 2026'])(
    '%s: of which day?',
    (question) => {
      expect(readQuestion(question, [tickets], [], '2026-11-30').reading).toMatchObject({
        kind: 'unclear',
        about: 'March 2026',
        choices: ['opened_on', 'closed_on'],
      });
    },
  );

  it.each(['closed and open tickets', 'how many tickets are open or closed', 'open vs closed tickets'])(
    '%s: not both at once',
    (question) => {
      expect(read(question, tickets)).toBe('refused');
    },
  );

  describe('what is due', () => {
    const invoices = tableOf('invoices', [
      column('invoice_no', 'text', { unique: true }),
      column('invoice_date', 'date', { span: ['2026-01-01', '2026-11-20'] }),
      column('due_date', 'date', { span: ['2026-02-01', '2027-01-20'] }),
      done('paid_on'),
      values('client', 'Acme', 'Globex'),
      column('amount', 'number'),
    ]);
    const OVERDUE = `"due_date" < DATE '2026-11-30' AND "paid_on" IS NULL`;
    it.each([
      ['overdue invoices', OVERDUE],
      ['how many invoices are overdue?', OVERDUE],
      ['overdue amount by client', OVERDUE],
      ['wie viele Rechnungen sind überfällig?', OVERDUE],
      ['outstanding amount by client', '"paid_on" IS NULL'],
      ['unpaid amount of Acme', `"paid_on" IS NULL AND "client" = 'Acme'`],
      ['invoices due this month', `"due_date" >= DATE '2026-11-01' AND "due_date" < DATE '2026-12-01'`],
      ['invoices due before March 2026', `"due_date" < DATE '2026-03-01'`],
    ])('%s', (question, condition) => {
      const table = question.startsWith('wie') ? { ...invoices, name: 'Rechnungen', alias: 'Rechnungen' } : invoices;
      expect(conditionOf(question, table)).toBe(condition);
    });
    it.each(['invoices that are not overdue', 'how much has Acme paid', 'overdue invoices in March 2026'])(
      '%s is not answered',
      (question) => {
        expect(read(question, invoices)).not.toMatch(/NULL|DISTINCT/);
      },
    );
    it('a time before what is due is of that day, or asked back', () => {
      const table = tableOf('Rechnungen', [
        COLUMNS[0]!,
        column('Rechnungsdatum', 'date', { span: ['2026-01-01', '2026-11-20'] }),
        column('Fälligkeit', 'date', { span: ['2026-02-01', '2027-01-20'] }),
        column('Betrag', 'number'),
      ]);
      expect(readQuestion('im Dezember 2026 fällige Rechnungen', [table], [], '2026-11-30').reading).toMatchObject({
        kind: 'unclear',
        choices: ['Rechnungsdatum', 'Fälligkeit'],
      });
    });
    it('nothing is overdue where nothing tells what is done, or a status does', () => {
      const without = invoices.columns.filter(({ name }) => name !== 'paid_on');
      expect(read('overdue invoices', tableOf('invoices', without))).toBe('refused');
      const status = values('status', 'sent', 'settled');
      expect(read('overdue invoices', tableOf('invoices', [...invoices.columns, status]))).toBe('refused');
    });
  });

  it.each([
    ['who left', '"exit_date" IS NOT NULL'],
    ['how many employees left in 2025', `"exit_date" >= DATE '2025-01-01' AND "exit_date" < DATE '2026-01-01'`],
    ['current employees', '"exit_date" IS NULL'],
    ['how many employees are still employed', '"exit_date" IS NULL'],
    ['former employees', '"exit_date" IS NOT NULL'],
  ])('%s', (question, condition) => {
    const employees = tableOf('employees', [
      column('name', 'text', { unique: true }),
      column('hire_date', 'date', { span: ['2010-01-01', '2026-11-01'] }),
      done('exit_date'),
      column('salary', 'number'),
    ]);
    expect(conditionOf(question, employees)).toBe(condition);
  });

  it('says what open was taken for', () => {
    const { reading } = readQuestion('how many open tickets', [tickets], [], '2026-11-30');
    expect(reading).toMatchObject({ guesses: [{ word: 'open', as: 'closed_on = —' }] });
  });

  it.each([
    ['quanti ordini senza data di visita?', 'ordini', 'data_visita'],
    ['¿cuántos pedidos sin fecha de visita?', 'pedidos', 'fecha_visita'],
    ['quanti ordini hanno una visita?', 'ordini', 'data_visita'],
  ])('%s: a noun is none', (question, name, date) => {
    const table = tableOf(name, [COLUMNS[0]!, done(date), column('total', 'number')]);
    expect(read(question, table)).not.toContain('IS NOT NULL');
  });

  it('columns of numbers and of persons keep their names', () => {
    const table = tableOf('tickets', [...COLUMNS, column('closed_by', 'text'), column('outstanding', 'number')]);
    expect(conditionOf('closed tickets', table)).toBe('"closed_on" IS NOT NULL');
    expect(read('total outstanding by channel', table)).toContain('sum("outstanding")');
  });

  it('a time asks for the day itself', () => {
    expect(conditionOf('how many tickets were closed in March 2026', tickets)).toBe(
      `"closed_on" >= DATE '2026-03-01' AND "closed_on" < DATE '2026-04-01'`,
    );
    expect(read('when was the last ticket closed', tickets)).not.toContain('NULL');
    expect(read('closed tickets per month', tickets)).not.toContain('IS NOT NULL');
  });

  it.each<[string, AskedTable, string]>([
    ['open tickets', tableOf('tickets', [...COLUMNS, values('status', 'new', 'done')]), 'what a status tells'],
    ['open tickets', tableOf('tickets', [...COLUMNS, values('stage', 'new', 'answered')]), 'what a stage tells'],
    ['open tickets', tableOf('tickets', [...COLUMNS, done('resolved_on')]), 'of two ends'],
    ['open orders', orders, 'shipped or paid'],
    [
      'closed tickets',
      tableOf(
        'tickets',
        COLUMNS.map((own) => ({ ...own, nullable: false })),
      ),
      'all of them',
    ],
    [
      'open tickets',
      tableOf('tickets', [
        ...COLUMNS.slice(0, 2),
        done('closed_on', { span: ['2026-01-02', '2027-03-01'] }),
        ...COLUMNS.slice(3),
      ]),
      'what lies ahead',
    ],
    [
      'unpaid orders',
      tableOf('orders', [...COLUMNS.slice(0, 2), done('payment_due'), ...COLUMNS.slice(3)]),
      'what is planned',
    ],
    ['cancelled tickets', tickets, 'no such date'],
    ['unhappy tickets', tickets, 'no such word'],
  ])('%s is not answered: %#', (question, table) => {
    expect(read(question, table)).not.toContain('NULL');
  });

  it('a value of that name is what it was', () => {
    const table = tableOf('tickets', [...COLUMNS, values('status', 'open', 'closed')]);
    expect(conditionOf('how many open tickets', table)).toBe(`"status" = 'open'`);
    expect(conditionOf('closed tickets', table)).toBe(`"status" = 'closed'`);
  });
});
