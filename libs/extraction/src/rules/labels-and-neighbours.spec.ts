import { madeColumn as column } from '../../../../test/support/made-column.js';
import type { TableColumn } from '../columns/table-column.js';
import type { SourcePage } from '../source/source-page.js';
import { extractByRules } from './extract-by-rules.js';

const money = (name: string) => column(name, { outputType: 'number', format: 'currency' });
const day = (name: string) => column(name, { format: 'date' });
const iban = column('IBAN', { format: 'iban' });
const text = (lines: string): SourcePage => ({ number: 1, text: lines, ocr: false });

/** Cells at places of a page: rows of `[x, words]`, each letter of 6 points. */
function placed(...rows: [x: number, words: string][][]): SourcePage {
  let all = '';
  const words = rows.flatMap((row, at) =>
    row.flatMap(([x, cell]) =>
      [...cell.matchAll(/\S+/g)].map((match, index) => {
        all += (all === '' ? '' : index === 0 ? '\n' : ' ') + match[0];
        const [x0, y0] = [x + match.index * 6, 50 + at * 16];
        const rect: [number, number, number, number] = [
          x0 / 600,
          y0 / 800,
          (x0 + match[0].length * 6) / 600,
          (y0 + 10) / 800,
        ];
        return { start: all.length - match[0].length, end: all.length, rect };
      }),
    ),
  );
  return { number: 1, text: all, ocr: false, width: 600, height: 800, words };
}

/** The value, or the reason in brackets. */
function read(page: SourcePage, asked: TableColumn): unknown {
  const [row = {}] = extractByRules({ pages: [page], columns: [asked], rowMode: 'document' });
  const cell = row[asked.name];
  return cell?.value === null ? [cell.evidence.reason] : cell?.value;
}

it('takes none of several values beside a label, in a column for each of several things', () => {
  const sheet = placed(
    [
      [150, 'AS-15'],
      [300, 'AS-25'],
      [450, 'AS-50'],
    ],
    [
      [0, 'Weight'],
      [150, '2.1 kg'],
      [300, '3.4 kg'],
      [450, '7.8 kg'],
    ],
    [
      [0, 'Protection class'],
      [150, 'IP67'],
      [300, 'IP67'],
      [450, 'IP68'],
    ],
  );
  expect(read(sheet, column('Weight'))).toEqual(['several_values']);
  expect(read(sheet, column('Protection class'))).toEqual(['several_values']);
});

it.each<[string, TableColumn, unknown]>([
  ['**Serves:** 10  \n**Preparation:** 25 minutes', column('Serves', { outputType: 'number' }), 10],
  ['**Serves:** 10  \n**Preparation:** 25 minutes', column('Preparation'), '25 minutes'],
  ['Monthly rent: £1,145', column('Monthly rent', { outputType: 'number' }), 1145],
  ['Monthly rent: 1.145 KWD', column('Monthly rent', { outputType: 'number' }), ['ambiguous_number']],
  ['Selbstbeteiligung: 150 EUR je Schadenfall', column('Selbstbeteiligung', { outputType: 'number' }), 150],
  ['الراتب الأساسي: 14,500 ريال شهريا', column('الراتب الأساسي', { outputType: 'number' }), 14_500],
  ['Fee: 20 EUR per month, 15 EUR per week', column('Fee', { outputType: 'number' }), ['value_unreadable']],
  ['Fee: 12 per cent', column('Fee', { outputType: 'number' }), ['value_unreadable']],
])('%s', (lines, asked, expected) => {
  expect(read(text(lines), asked)).toEqual(expected);
});

it.each([
  ['Skills\n\n- SolidWorks, Ansys\n- FMEA\n\nInterests\n\nSailing', 'Skills', ['SolidWorks, Ansys', 'FMEA']],
  ['## Ingredients\n\n- 2 oranges\n- 6 eggs\n\n## Method\n\n1. Boil.', 'Ingredients', ['2 oranges', '6 eggs']],
  ['Diagnosen:\n• Vorhofflimmern\n• Hypertonie\nAnamnese: kurz', 'Diagnosen', ['Vorhofflimmern', 'Hypertonie']],
])('%s: the points below a heading are a list', (lines, name, expected) => {
  expect(read(text(lines), column(name, { outputType: 'list' }))).toEqual(expected);
});

it('quotes the points of a list word for word', () => {
  const page = text('Skills\n\n- SolidWorks\n- FMEA\n\nInterests');
  const columns = [column('Skills', { outputType: 'list' })];
  const [row] = extractByRules({ pages: [page], columns, rowMode: 'document' });
  expect(row?.['Skills']?.evidence.quote).toBe('SolidWorks\n- FMEA');
});

it('finds a column whose heading has a unit in brackets, and none where two have', () => {
  const page = text('Article | Description | Delivery time (days)\nA1 | Valve | 3\nA2 | Pump | 7');
  const columns = [column('Article'), column('Description'), column('Delivery time', { outputType: 'number' })];
  const rows = extractByRules({ pages: [page], columns, rowMode: 'items' });
  expect(rows.map((row) => row['Delivery time']?.value)).toEqual([3, 7]);
  const two = text('Article | Description | Length (mm) | Length (inch)\nA1 | Valve | 30 | 1.2');
  const asked = [column('Article'), column('Description'), column('Length', { outputType: 'number' })];
  const [row] = extractByRules({ pages: [two], columns: asked, rowMode: 'items' });
  expect(row?.['Length']?.value).toBeNull();
});

it.each<[string, TableColumn, unknown]>([
  ['Subtotal  $410.50\nTerms  Net 30\nTotal  $420.00', money('Subtotal'), 410.5],
  ['Terms  Net 30\nTotal  $420.00', money('Subtotal'), ['label_not_found']],
  ['Terms  Net 30\nTotal  $420.00', money('Net'), ['label_not_found']],
  ['Payment terms: Net 14', money('Net'), ['label_not_found']],
  ['Zahlungsbedingungen  Netto 14 Tage', money('Netto'), ['label_not_found']],
  ['Terms  2/10 Net 30', money('Net'), ['label_not_found']],
  ['Terms\nNet 30', money('Net'), ['label_not_found']],
  ['Terms  Net 30', column('Payment terms'), 'Net 30'],
  ['Net  410.50', money('Net'), 410.5],
  ['Netto 1.410,50 €', money('Netto'), 1410.5],
])('days of terms of payment are no amount: %j', (lines, asked, value) => {
  expect(read(text(lines), asked)).toEqual(value);
});

it('nor in cells', () => {
  const page = placed(
    [
      [50, 'Terms'],
      [200, 'Net 30'],
    ],
    [
      [50, 'Subtotal'],
      [200, '$410.50'],
    ],
  );
  expect([read(page, money('Subtotal')), read(page, column('Payment terms'))]).toEqual([410.5, 'Net 30']);
});

const INVOICE_DATE = day('Invoice date');
const DUE_DATE = day('Due date');
const SUPPLIER = column('Supplier');
it.each<[string, TableColumn, unknown]>([
  ['Stuttgart, den 7. März 2026\nRechnung\nLeistungsdatum: 28.02.2026', INVOICE_DATE, '2026-03-07'],
  ['FACTURE\nFait à Lyon, le 3 mars 2026\nDate de prestation : 01/03/2026', INVOICE_DATE, '2026-03-03'],
  ['Invoice\nHall Ltd, Leeds\nLeeds, 7 March 2026\nService date: 1 March 2026', INVOICE_DATE, '2026-03-07'],
  [
    'Invoice\nService date: 1 March 2026\nOrder date: 2 March 2026\nPrinted on: 3 March 2026',
    INVOICE_DATE,
    ['label_not_found'],
  ],
  ['Rechnung\nLeistungsdatum: 28.02.2026\nDatum: 01.03.2026', INVOICE_DATE, '2026-03-01'],
  ['Rechnung\nLieferdatum: 28.02.2026', INVOICE_DATE, ['label_not_found']],
  ['Leistungsdatum: 28.02.2026', day('Leistungsdatum'), '2026-02-28'],
  ['Invoice\nMonday, 7 March 2026', INVOICE_DATE, ['label_not_found']],
  ['Invoice\nDelivered, 7 March 2026', INVOICE_DATE, ['label_not_found']],
  ['Invoice\nConcert, 7 March 2026', INVOICE_DATE, ['label_not_found']],
  ['Invoice\nFlight to Rome, 7 March 2026', INVOICE_DATE, ['label_not_found']],
  ['Invoice\nLeeds to York\nLeeds, 7 March 2026\nYork, 9 March 2026', INVOICE_DATE, ['several_values']],
  ['Dear Sir\nLeeds, 7 March 2026', INVOICE_DATE, ['label_not_found']],
  ['Leeds\nLeeds, 7 March 2026', day('Date'), '2026-03-07'],
  ['Invoice\nDate: 7 March 2026', day('Order date'), ['label_not_found']],
  ['Purchase\nDate: 7 March 2026', day('Order date'), '2026-03-07'],
  ['Zahlbar bis 21.03.2026 ohne Abzug.', DUE_DATE, '2026-03-21'],
  ['Bitte zahlen Sie; der Betrag ist zahlbar bis zum 21. März 2026.', DUE_DATE, '2026-03-21'],
  ['The amount is payable by 21 March 2026, please.', DUE_DATE, '2026-03-21'],
  ['Payment due by March 21, 2026', DUE_DATE, '2026-03-21'],
  ['Payment is due on 21 March 2026. Thank you.', DUE_DATE, '2026-03-21'],
  ['Fällig am 21.03.2026 auf unser Konto', DUE_DATE, '2026-03-21'],
  ['Montant à payer avant le 21 mars 2026 par virement.', DUE_DATE, '2026-03-21'],
  ['يرجى السداد قبل 21 مارس 2026', DUE_DATE, '2026-03-21'],
  ['Zahlbar bis 14.03.2026 mit 2 % Skonto', DUE_DATE, ['several_values']],
  ['Zahlbar bis 14.03.2026 oder bis 21.03.2026', DUE_DATE, ['several_values']],
  ['The deposit is due by 1 March 2026. The balance is due by 1 April 2026.', DUE_DATE, '2026-04-01'],
  ['No fee if paid before 1 March 2026', DUE_DATE, ['label_not_found']],
  ['Your last invoice was payable by 1 March 2026.', DUE_DATE, ['label_not_found']],
  ['Previous invoice due 1 March 2026', DUE_DATE, ['label_not_found']],
  ['Payable by 03/04/2026.', DUE_DATE, ['ambiguous_date']],
])('a date answers for its own kind alone: %j', (lines, asked, value) => {
  expect(read(text(lines), asked)).toEqual(value);
});

it.each<[string, TableColumn, unknown]>([
  ['Vendor: Helix Components Inc.', column('Vendor'), 'Helix Components Inc.'],
  ['Customer:  Baker & Sons Ltd.', column('Customer'), 'Baker & Sons Ltd.'],
  ['Lieferant: Huber GmbH & Co. KG.', column('Vendor'), 'Huber GmbH & Co. KG.'],
  ['Full name: Ada K.', column('Full name'), 'Ada K.'],
  ['Note: It is done.', column('Note'), 'It is done.'],
  ['Status: done.', column('Status', { enum: ['Done'] }), 'Done'],
  ['Colours: red, green.', column('Colours', { outputType: 'list' }), ['red', 'green']],
  ['Approved: yes.', column('Approved', { outputType: 'boolean' }), true],
  ['Invoice number: INV-7.', column('Invoice number'), 'INV-7'],
  ['Total: 12.00.', money('Total'), 12],
])('words keep their point, numbers have none: %j', (lines, asked, value) => {
  expect(read(text(lines), asked)).toEqual(value);
});

it('the cell right of a label is its value, the next words are another label', () => {
  const page = placed(
    [
      [50, 'Basic'],
      [150, '3,000.00'],
      [300, 'Pension'],
      [450, '17.60'],
    ],
    [
      [50, 'Gross pay'],
      [150, '3,410.00'],
      [300, 'Total deductions'],
      [450, '617.60'],
    ],
  );
  expect(['Gross pay', 'Total deductions', 'Basic', 'Pension'].map((name) => read(page, money(name)))).toEqual([
    3410, 617.6, 3000, 17.6,
  ]);
  expect(read(text('Gross pay | 3,410.00 | Total deductions | 617.60'), money('Gross pay'))).toBe(3410);
  expect(read(text('Gross pay | Deductions | 617.60'), money('Gross pay'))).toEqual(['value_unreadable']);
});

const PAIRS = 'IBAN: DE89 3704 0044 0532 0130 00';
it.each<[string, TableColumn, unknown]>([
  [`${PAIRS}   USt-IdNr.: DE123456789`, iban, 'DE89370400440532013000'],
  [`${PAIRS} USt-IdNr.: DE123456789`, iban, 'DE89370400440532013000'],
  [`${PAIRS} USt-IdNr.: DE123456789`, column('VAT ID'), 'DE123456789'],
  [`${PAIRS} · USt-IdNr.: DE123456789`, iban, 'DE89370400440532013000'],
  [`${PAIRS} | BIC: COBADEFF370`, iban, 'DE89370400440532013000'],
  ['Tel: 0711 123456; Kundennummer: K-55', column('Phone'), '0711 123456'],
  ['Tel: 0711 123456 · info@example.com', column('Phone'), '0711 123456'],
  ['Tel: 0711 123456 · Lager: Halle 4', column('Lager'), 'Halle 4'],
  ['Ref: A1 Other thing: B2', column('Ref'), 'A1'],
  ['Date: 3 March 2026 Clerk: Ann', day('Date'), '2026-03-03'],
  ['Ref: A1 B Other: 5', column('Ref'), ['value_unreadable']],
  ['Place: Upper Street Other: 5', column('Place'), ['value_unreadable']],
])('the next label ends a value: %j', (lines, asked, value) => {
  expect(read(text(lines), asked)).toEqual(value);
});

it.each<[string, number]>([
  ['zzgl. 19 % MwSt. 270,35 €', 270.35],
  ['zzgl. 19 % MwSt.   270,35 €', 270.35],
  ['TAX 5%   0.44', 0.44],
  ['VAT (15%): 225.00', 225],
  ['VAT @ 15%: 225.00', 225],
  ['TVA 20 % 470,00', 470],
  ['MwSt 19% auf 100,00 € 19,00 €', 19],
  ['VAT 20% on 100.00: 20.00', 20],
  ['inkl. 7 % USt   1,00 €', 1],
  ['Total excl. VAT: EUR 1,000.00\nVAT: EUR 210.00\nTotal incl. VAT: EUR 1,210.00', 210],
  ['Total excl. VAT: EUR 1,000.00 VAT: EUR 210.00 Total incl. VAT: EUR 1,210.00', 210],
])('a rate is no part of a label, nor its value: %j', (lines, value) => {
  for (const name of ['VAT', 'Tax amount', 'MwSt', 'TVA']) expect(read(text(lines), money(name))).toBe(value);
});

it.each<[string, string, unknown]>([
  ['TRANS NO: 004417', 'Transaction number', '004417'],
  ['Txn #: 004417', 'Transaction number', '004417'],
  ['Receipt no: 5\nTrans no: 004417', 'Transaction number', '004417'],
  ['Receipt no: 5\nTrans no: 004417', 'Receipt number', '5'],
  ['Acct. No.: 55-1', 'Account number', '55-1'],
  ['CUST NUM: K7', 'Customer number', 'K7'],
  ['Inv. nr: A-1', 'Invoice number', 'A-1'],
  ['Your Ref: Q-7', 'Your reference', 'Q-7'],
])('labels are shortened: %j', (lines, name, value) => {
  expect(read(text(lines), column(name))).toEqual(value);
});
it.each([
  ['Amt due: 12.00', 'Amount due'],
  ['Bal. due: 12.00', 'Balance due'],
  ['Amount due: 12.00', 'Amt due'],
])('amounts, too: %j', (lines, name) => {
  expect(read(text(lines), money(name))).toBe(12);
});

it.each([
  ['رقم الفاتورة: ٢٠٢٦-٠٠١٧'],
  ['رقم الفاتورة: 2026-0017'],
  ['رقم الفاتورة: ٢٠٢٦–٠٠١٧'],
  ['رقم الفاتورة: ٢٠٢٦ - ٠٠١٧'],
])('no order of groups of digits behind Arabic letters is guessed: %s', (words) => {
  const number = column('Invoice number');
  expect(read(placed([[200, words]]), number)).toEqual(['value_unreadable']);
  const [label = '', value = ''] = words.split(': ');
  expect(
    read(
      placed([
        [200, value],
        [400, label],
      ]),
      number,
    ),
  ).toEqual(['value_unreadable']);
  // In a text without places signs stand in the order in which they were written.
  expect(read(text(words.replaceAll(' - ', '-')), number)).not.toBeNull();
  expect(read(placed([[200, 'رقم الفاتورة: ٢٠٢٦/٠٠١٧']]), number)).toBe('٢٠٢٦/٠٠١٧');
});

it.each<[string, TableColumn, unknown]>([
  ['Patient: Jonas Adler, geb. am 11.09.1987', day('Date of birth'), '1987-09-11'],
  ['Account: 77 (IBAN), UID DE961794700', column('VAT ID'), 'DE961794700'],
  ['Terms Net 30. VAT Reg No GB 123 4567 89', column('VAT registration number'), 'GB 123 4567 89'],
  ['For delivery, invoice INV-1 applies', column('Invoice number'), ['label_not_found']],
  ['see invoice no 55-1, invoice no 55-2', column('Invoice number'), ['label_not_found']],
  ['Thanks, total 12.00', money('Total'), ['label_not_found']],
  ['Credit note no. CN-3391', column('Credit note number'), 'CN-3391'],
  ['Warehouse no help at all', column('Warehouse no'), ['label_not_found']],
  ['BIC: COBADEFFXXX', column('BIC'), 'COBADEFFXXX'],
  ['BIC: see below', column('BIC'), ['value_unreadable']],
  ['Bitte überweisen Sie den Betrag bis zum 18.06.2026 auf DE89 3704 0044 0532 0130 00', DUE_DATE, '2026-06-18'],
  ['Please pay the full amount by 18 June 2026.', DUE_DATE, '2026-06-18'],
  ['Merci de régler la facture avant le 18 juin 2026', DUE_DATE, '2026-06-18'],
])('a label within a line says what shows what it is: %j', (lines, asked, value) => {
  expect(read(text(lines), asked)).toEqual(value);
});

it('a label within a line says nothing of what stands beside the line', () => {
  const page = placed([
    [50, 'Thanks, date.'],
    [300, '3 March 2026'],
  ]);
  expect(read(page, day('Date'))).toEqual(['label_not_found']);
});

it.each<[string, TableColumn, unknown]>([
  [
    'From: Ada <ada@example.org>\nTo: Bo <bo@example.org>\nSubject: Invoice\n\nSupplier: Hall Ltd',
    SUPPLIER,
    'Hall Ltd',
  ],
  [
    'From: Ada <ada@example.org>\nTo: Bo <bo@example.org>\nSubject: Invoice\n\nPlease pay.',
    SUPPLIER,
    'Ada <ada@example.org>',
  ],
  ['From: Ada <ada@example.org>\nTo: Bo <bo@example.org>\n\nBill to: Bird Ltd', column('Customer'), 'Bird Ltd'],
  ['From: Ada\nDate: 3 March 2026\nSubject: Invoice\n\nDate: 1 March 2026', INVOICE_DATE, '2026-03-01'],
  // What is asked for by the very name of the header is not one of both.
  ['From: Ada\nDate: 3 March 2026\nSubject: Invoice\n\nDate: 1 March 2026', day('Date'), ['several_values']],
  // The letterhead of an invoice is none of a message.
  ['From: Hall Ltd\nTo: Bird Ltd\nDate: 3 March 2026\n\nSeller: Mill Ltd', SUPPLIER, ['several_values']],
])('who sent a message is the supplier only where nobody else is: %j', (lines, asked, value) => {
  expect(read(text(lines), asked)).toEqual(value);
});

it('what stands beside its label in a file within a document is read, and has no place to be shown', () => {
  const page = placed(
    [
      [50, 'Supplier'],
      [300, 'Total'],
    ],
    [
      [50, 'Hall Ltd'],
      [300, '12.00'],
    ],
  );
  const columns = [SUPPLIER, money('Total')];
  const evidence = (isUnshown: boolean) =>
    extractByRules({ pages: [{ ...page, isUnshown }], columns, rowMode: 'document' }).flatMap((row) =>
      columns.map(({ name }) => [row[name]?.value, row[name]?.evidence.spans.length, row[name]?.evidence.pageWidth]),
    );
  expect(evidence(false)).toEqual([
    ['Hall Ltd', 1, 600],
    [12, 1, 600],
  ]);
  expect(evidence(true)).toEqual([
    ['Hall Ltd', 0, null],
    [12, 0, null],
  ]);
});

it('a form that is attached is read, and has no place to be shown', () => {
  const fields = [{ name: 'Supplier', value: 'Hall Ltd', rect: [0, 0, 1, 1] as [number, number, number, number] }];
  const page = { ...text('Form'), width: 600, height: 800, fields, isUnshown: true };
  const [row] = extractByRules({ pages: [page], columns: [SUPPLIER], rowMode: 'document' });
  expect(row?.Supplier).toMatchObject({ value: 'Hall Ltd', evidence: { spans: [], pageWidth: null } });
});
