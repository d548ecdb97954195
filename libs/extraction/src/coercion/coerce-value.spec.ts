import { madeColumn } from '../../../../test/support/made-column.js';
import type { TableColumn } from '../columns/table-column.js';
import { coerceValue } from './coerce-value.js';
import type { CoercionHints } from './coercion.js';

/** The value, or the code of the problem in brackets. */
function coerced(over: Partial<TableColumn>, raw: unknown, hints?: CoercionHints): unknown {
  const result = coerceValue(madeColumn('Column', over), raw, hints);
  return 'problem' in result ? [result.problem] : result.value;
}

const number = (raw: unknown, hints?: CoercionHints) => coerced({ outputType: 'number' }, raw, hints);
const money = (raw: unknown, hints?: CoercionHints) =>
  coerced({ outputType: 'number', format: 'currency' }, raw, hints);
const percent = (raw: unknown) => coerced({ outputType: 'number', format: 'percent' }, raw);
const date = (raw: unknown, hints?: CoercionHints) => coerced({ format: 'date' }, raw, hints);
const email = (raw: unknown) => coerced({ format: 'email' }, raw);
const iban = (raw: unknown) => coerced({ format: 'iban' }, raw);
const booleans = (raws: readonly unknown[]) => [...new Set(raws.map((raw) => coerced({ outputType: 'boolean' }, raw)))];
const moment = (raw: unknown) => coerced({ format: 'datetime' }, raw);

describe('numbers', () => {
  it.each<[string, number]>([
    ['1.234,56', 1234.56],
    ['1,234.56', 1234.56],
    ['1 234,56', 1234.56],
    ['1\u202f234,56', 1234.56],
    ["1'234.56", 1234.56],
    ['1’234.56', 1234.56],
    ['12,34,567.89', 1234567.89],
    ['1.234.567', 1234567],
    ['12.5', 12.5],
    ['12,5', 12.5],
    ['0,125', 0.125],
    ['1234,567', 1234.567],
    ['.5', 0.5],
    ['007', 7],
    ['(123)', -123],
    ['(1.234,50 €)', -1234.5],
    ['123-', -123],
    ['−123', -123],
    ['€ -12,50', -12.5],
    ['-€12.50', -12.5],
    ['-0', 0],
    ['١٬٢٣٤٫٥٦', 1234.56],
    ['۱۲۳۴٫۵', 1234.5],
    ['١٢٣٤', 1234],
    ['US$ 1,234.50', 1234.5],
    ['1.234,50 EUR', 1234.5],
    ['EUR 1.234,50', 1234.5],
    ['CHF 5.-', 5],
    ['5,- €', 5],
    ['Rs.500', 500],
    ['Rs. 1,23,456.00', 123456],
    ['1 200,00 kr', 1200],
    ['٥٠٠ ريال سعودي', 500],
    ['1,500.000 د.ك', 1500],
    ['د.إ 1,500.00', 1500],
    ['12 Stk.', 12],
    ['3 pcs', 3],
    ['12,5 %', 12.5],
    ['%12', 12],
    ['1e3', 1000],
  ])('%s', (text, value) => {
    expect(number(text)).toBe(value);
  });

  it.each(
    [
      'twelve',
      '1.2.3',
      '1,23,4',
      '12,34.5',
      '1.234,5,6',
      '10-20',
      '12/3',
      'INV-12',
      'A12',
      '12a',
      '~5',
      '< 5',
      '5 of 6',
      '1 2',
      "1.234'567",
      '--5',
      '(5',
      '5)',
      '(-5)',
      '-5-',
      '5 million',
      '12 5 kg',
      '²',
      '½',
      '1.234.56',
      '',
      'NaN',
      'Infinity',
      '0x10',
      '1_000',
      '+-5',
      '5€€',
      '$5 USD5',
    ].filter((text) => text !== ''),
  )('refuses %s', (text) => {
    expect(number(text)).toEqual(['not_a_number']);
  });

  it('reads what may be thousands or decimals as the document has it', () => {
    expect([number('1.234', { decimal: ',' }), number('1.234', { decimal: '.' })]).toEqual([1234, 1.234]);
    expect([number('1,234', { decimal: ',' }), number('1,234', { decimal: '.' })]).toEqual([1.234, 1234]);
    // Nothing known: as JSON and English write it.
    expect([number('1.234'), number('1,234')]).toEqual([1.234, 1234]);
    // Sums have no thousandths, where their currency has none.
    expect([money('1.234'), money('1,234'), number('1.234 €'), money('12.345 KWD')]).toEqual([
      1234,
      1234,
      1234,
      ['ambiguous_number'],
    ]);
    expect(money('12.345 KWD', { decimal: '.' })).toBe(12.345);
    // What is written without doubt is not read otherwise.
    expect([number('1,234.50', { decimal: ',' }), number('12.5', { decimal: ',' })]).toEqual([1234.5, 12.5]);
  });

  it('knows units', () => {
    expect([percent('12,5 %'), percent('12.5'), percent('12 €'), money('12 %'), money('12 kg')]).toEqual([
      12.5,
      12.5,
      ['not_a_number'],
      ['not_a_number'],
      ['not_a_number'],
    ]);
  });

  it('refuses what a number does not hold', () => {
    expect(number('9007199254740993')).toEqual(['number_too_long']);
    expect(number('12345678901234567890')).toEqual(['number_too_long']);
    expect(number('0.12345678901234567890123')).toEqual(['number_too_long']);
    expect([number('9007199254740991'), number('123456789012345.6'), number('0.1')]).toEqual([
      9007199254740991, 123456789012345.6, 0.1,
    ]);
    expect(number('9'.repeat(400))).toEqual(['not_a_number']);
    expect(number('1e400')).toEqual(['number_too_long']);
  });

  it('passes numbers, and nothing else that is no text', () => {
    expect([number(12.5), number(-0), number(null), number(''), number('  '), number('n/a'), number('–')]).toEqual([
      12.5,
      0,
      null,
      null,
      null,
      null,
      null,
    ]);
    expect([number(true), number([1]), number({}), number(Number.NaN), number(10n)]).toEqual(
      Array.from({ length: 5 }, () => ['not_a_number']),
    );
  });
});

describe('dates', () => {
  it.each<[string, string]>([
    ['2025-12-31', '2025-12-31'],
    ['2025/12/31', '2025-12-31'],
    ['2025.12.31.', '2025-12-31'],
    ['20251231', '2025-12-31'],
    ['31.12.2025', '2025-12-31'],
    ['3.4.2026', '2026-04-03'],
    ['31. 12. 25', '2025-12-31'],
    ['12/31/2025', '2025-12-31'],
    ['31/12/2025', '2025-12-31'],
    ['31-12-99', '1999-12-31'],
    ['05/05/2025', '2025-05-05'],
    ['3 March 2026', '2026-03-03'],
    ['3rd of March, 2026', '2026-03-03'],
    ['March 3, 2026', '2026-03-03'],
    ['Mar 3rd 2026', '2026-03-03'],
    ['Sept. 3, 2026', '2026-09-03'],
    ['03-Mar-26', '2026-03-03'],
    ['2026 March 3', '2026-03-03'],
    ['Tuesday, March 3, 2026', '2026-03-03'],
    ['3. März 2026', '2026-03-03'],
    ['Dienstag, den 3. März 2026', '2026-03-03'],
    ['3. Mär 2026', '2026-03-03'],
    ['1er janvier 2026', '2026-01-01'],
    ['le 3 mars 2026', '2026-03-03'],
    ['3 de marzo de 2026', '2026-03-03'],
    ['٣ مارس ٢٠٢٦', '2026-03-03'],
    ['3 آذار 2026', '2026-03-03'],
    ['15 كانون الثاني 2026', '2026-01-15'],
    ['15 كانون الثاني/يناير 2026', '2026-01-15'],
    ['15 يناير، 2026م', '2026-01-15'],
    ['الثلاثاء 3 مارس 2026', '2026-03-03'],
    ['٣١/١٢/٢٠٢٥', '2025-12-31'],
    ['2026年3月31日', '2026-03-31'],
    ['31.12.2025 14:30', '2025-12-31'],
    ['2025-12-31T23:30:00Z', '2025-12-31'],
    ['29.02.2024', '2024-02-29'],
  ])('%s', (text, day) => {
    expect(date(text)).toBe(day);
  });

  it.each<[string, string]>([
    ['03/04/2026', 'ambiguous_date'],
    ['03-04-26', 'ambiguous_date'],
    ['31.02.2025', 'not_a_date'],
    ['29.02.2025', 'not_a_date'],
    ['2025-13-01', 'not_a_date'],
    ['32/01/2025', 'not_a_date'],
    ['3 Foo 2026', 'not_a_date'],
    ['31.12-2025', 'not_a_date'],
    ['01.01.2025 - 31.01.2025', 'not_a_date'],
    ['31.12.20255', 'not_a_date'],
    ['31.12.2025 or so', 'not_a_date'],
    ['31.12.2025 99:99', 'not_a_date'],
    ['soon', 'not_a_date'],
    ['45000', 'not_a_date'],
    ['1447/06/15', 'hijri_date'],
    ['15/06/1447', 'hijri_date'],
    ['15 رمضان 1447', 'hijri_date'],
    ['15 رمضان 2025', 'hijri_date'],
    ['1447-06-15 هـ', 'hijri_date'],
    ['15 Ramadan 1447 AH', 'hijri_date'],
    ['31/12/2568', 'not_a_date'],
    ['March 2026', 'incomplete_date'],
    ['3 March', 'incomplete_date'],
    ['2026', 'incomplete_date'],
    ['31.12.', 'incomplete_date'],
    ['2025-12', 'incomplete_date'],
  ])('refuses %s: %s', (text, code) => {
    expect(date(text)).toEqual([code]);
  });

  it('reads the order of day and month as the document has it', () => {
    expect([date('03/04/2026', { dayFirst: true }), date('03/04/2026', { dayFirst: false })]).toEqual([
      '2026-04-03',
      '2026-03-04',
    ]);
    expect([date('03.04.2026', { dayFirst: true }), date('03.04.2026', { dayFirst: false })]).toEqual([
      '2026-04-03',
      ['ambiguous_date'],
    ]);
    expect(date('31/12/2026', { dayFirst: false })).toBe('2026-12-31');
  });

  it('takes no number for a day', () => {
    expect([date(45000), date(2026), date(true), date(null), date('')]).toEqual([
      ['not_a_date'],
      ['not_a_date'],
      ['not_a_date'],
      null,
      null,
    ]);
  });

  it.each<[string, unknown]>([
    ['2026-03-31T14:30:00Z', '2026-03-31T14:30:00Z'],
    ['2026-03-31T14:30:00+02:00', '2026-03-31T12:30:00Z'],
    ['2026-03-31 00:30 +0200', '2026-03-30T22:30:00Z'],
    ['31.03.2026, 14:30 Uhr MESZ', '2026-03-31T12:30:00Z'],
    ['31.03.2026 14:30', '2026-03-31T14:30:00Z'],
    ['March 3, 2026 2:05 PM EST', '2026-03-03T19:05:00Z'],
    ['March 3, 2026 at 12:05 am', '2026-03-03T00:05:00Z'],
    ['31/12/2025 2:30 م', '2025-12-31T14:30:00Z'],
    ['2026-03-31 14:30:05.250', '2026-03-31T14:30:05Z'],
    ['2026-03-31', ['no_time']],
    ['2026-03-31 25:00', ['not_a_date']],
    ['2026-03-31 13:00 pm', ['not_a_date']],
    ['2026-03-31 14:30 CST', ['not_a_date']],
  ])('moment %s', (text, value) => {
    expect(moment(text)).toEqual(value);
  });
});

describe('booleans', () => {
  it('reads yes and no in some languages, and marks', () => {
    const yes = ['yes', 'TRUE', 'ja', 'Oui', 'sí', 'نعم', '✓', '☑', 'x', '[x]', '1', 1, true];
    const no = ['no', 'False', 'nein', 'non', 'لا', '✗', '☐', '[ ]', '0', 0, false];
    expect([booleans(yes), booleans(no)]).toEqual([[true], [false]]);
    expect(['maybe', 'yes and no', '2', 2, [], {}].map((raw) => coerced({ outputType: 'boolean' }, raw))).toEqual(
      Array.from({ length: 6 }, () => ['not_a_boolean']),
    );
  });
});

describe('texts, lists and objects', () => {
  it.each<[unknown, unknown]>([
    ['["a", "b", 3]', ['a', 'b', 3]],
    ['a; b ;; c', ['a', 'b', 'c']],
    ['- a\n- b, c\n\n• d', ['a', 'b, c', 'd']],
    ['1. a\n2. b', ['a', 'b']],
    ['red, green', ['red', 'green']],
    ['1,5', ['1,5']],
    ['[a, b]', ['a', 'b']],
    ['one', ['one']],
    [
      ['a', null, ' b '],
      ['a', 'b'],
    ],
    [7, [7]],
    [{}, ['not_a_list']],
  ])('list %j', (raw, value) => {
    expect(coerced({ outputType: 'list' }, raw)).toEqual(value);
  });

  it('keeps objects, and numbers in them that JavaScript cannot hold as texts', () => {
    expect(coerced({ outputType: 'object' }, '{"a": [1, null], "id": 12345678901234567890}')).toEqual({
      a: [1, null],
      id: '12345678901234567890',
    });
    expect(['[1]', 'a', 5, '{'].map((raw) => coerced({ outputType: 'object' }, raw))).toEqual(
      Array.from({ length: 4 }, () => ['not_an_object']),
    );
    let deep: unknown = {};
    for (let level = 0; level < 10_000; level += 1) deep = { deep };
    expect(coerced({ outputType: 'object' }, deep)).toEqual(['nested_too_deep']);
    const polluted = coerced({ outputType: 'object' }, '{"__proto__": {"admin": true}}');
    expect((polluted as { admin?: boolean }).admin).toBeUndefined();
  });

  it('cleans texts of what cannot be kept', () => {
    expect([coerced({}, ' a\u0000b\ud800 '), coerced({}, 12.5), coerced({}, true), coerced({}, 'n/a')]).toEqual([
      'ab\ufffd',
      '12.5',
      'true',
      'n/a',
    ]);
    expect([coerced({}, ['a']), coerced({}, { a: 1 })]).toEqual([['not_a_text'], ['not_a_text']]);
  });

  it('checks addresses and accounts', () => {
    expect([
      email('mailto:a@example.com'),
      email('Jane <j@example.com>'),
      email('a@b'),
      email('a b@example.com'),
    ]).toEqual(['a@example.com', 'j@example.com', ['not_an_email'], ['not_an_email']]);
    expect([
      iban('DE89 3704 0044 0532 0130 00'),
      iban('IBAN: de89370400440532013000'),
      iban('DE88 3704 0044 0532 0130 00'),
      iban('hello'),
    ]).toEqual(['DE89370400440532013000', 'DE89370400440532013000', ['not_an_iban'], ['not_an_iban']]);
  });

  it('gives values of an enum as the column spells them', () => {
    const state = (raw: unknown) => coerced({ enum: ['In Progress', 'Done', 'مكتملة'] }, raw);
    expect([state('in-progress'), state(' DONE '), state('مكتمله'), state('open'), state(null)]).toEqual([
      'In Progress',
      'Done',
      'مكتملة',
      ['not_in_enum'],
      null,
    ]);
    expect(coerced({ outputType: 'list', enum: ['Red', 'Green'] }, 'red; GREEN')).toEqual(['Red', 'Green']);
    expect(coerced({ outputType: 'list', enum: ['Red', 'Green'] }, 'red; blue')).toEqual(['not_in_enum']);
    expect([
      coerced({ outputType: 'number', enum: ['1', '2.5'] }, '2,5'),
      coerced({ outputType: 'number', enum: ['1'] }, 3),
    ]).toEqual([2.5, ['not_in_enum']]);
    expect(coerced({ enum: ['a b', 'a-b'] }, 'A B')).toEqual(['not_in_enum']);
  });
});
