import type { CellValue, TableColumn } from '../kit.js';
import { column } from './model-extractor.spec-support.js';
import { saysValue } from './says-value.js';

const text = column('c');
const number = column('c', { outputType: 'number' });
const date = column('c', { format: 'date' });
const iban = column('c', { format: 'iban' });
const choice = column('c', { enum: ['paid', 'open'] });
const list = column('c', { outputType: 'list' });

describe('whether a quote says a value', () => {
  it.each<[TableColumn, CellValue, string, string]>([
    [number, 1234.5, 'Total: 1,234.50 EUR', 'says'],
    [number, 1234.5, 'Summe 1.234,50 €', 'says'],
    [number, 450, 'Total: 1,450.00', 'no'],
    [number, 12, 'Total: 12.50', 'no'],
    [number, -123, '(123)', 'says'],
    [number, 1500000, 'a revenue of 1.5 million euros', 'says'],
    [number, 1.5, 'a revenue of 1.5 million euros', 'no'],
    [number, 1.5, '1.5 million', 'no'],
    [number, 2500000, 'Umsatz: 2,5 Mio. EUR', 'says'],
    [number, 2.5, 'Umsatz: 2,5 Mio. EUR', 'no'],
    [number, 2.5, '2,5 Mio.', 'no'],
    [number, 3000000000, '3 milliards de francs', 'says'],
    [number, 4200000, '4,2 millones de euros', 'says'],
    [column('Umsatz (Mio. EUR)', { outputType: 'number' }), 2.5, 'Umsatz: 2,5 Mio. EUR', 'says'],
    [date, '2024-03-12', 'Date of issue: 12 March 2024.', 'says'],
    [date, '2024-03-12', 'Due 12.03.2024', 'says'],
    [date, '2024-03-13', 'Due 12.03.2024', 'no'],
    [iban, 'DE89370400440532013000', 'IBAN: DE89 3704 0044 0532 0130 00', 'says'],
    [iban, 'DE89370400440532013000', 'IBAN: DE89 3704 0044 0532 0130 01', 'no'],
    [text, 'A-17', 'Invoice no. A-17', 'says'],
    [text, 'A-17', 'Invoice no. A-171', 'no'],
    [text, 'A-17', 'Invoice no. A-18', 'no'],
    [text, 'ACME  Ltd', 'sold by acme ltd, London', 'says'],
    [text, 'a supplier of bolts', 'ACME Ltd, London', 'implies'],
    [choice, 'paid', 'The amount was received on Monday.', 'implies'],
    [column('c', { outputType: 'boolean' }), true, 'VAT is included', 'implies'],
    [list, ['red', 'green'], 'in red and green', 'says'],
    [list, ['1', '3'], '1 and 2', 'no'],
    [list, [], 'nothing', 'no'],
    [text, null, 'x', 'no'],
  ])('%#: %j %j in %j: %s', (asked, value, quote, expected) => expect(saysValue(asked, value, quote)).toBe(expected));
});
