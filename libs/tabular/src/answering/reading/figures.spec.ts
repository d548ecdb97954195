import type { AskedColumn } from '../asked-table.js';
import { shownFigure, shownKey } from './figures.js';

it.each([
  [1234.5, undefined, '1234.5', '1234.5'],
  [17_750, undefined, '17,750', '17750'],
  [-12_345.678, undefined, '-12,345.678', '-12345.6780'],
  [1.234, undefined, '1.234', '1.2340'],
  [1234.5, '€', '1,234.50 €', '1234.50 €'],
  [2_000_000, '€', '2,000,000 €', '2000000 €'],
  [12.125, '%', '12.125 %', '12.1250 %'],
  [null, '€', '—', '—'],
])('shows %p in %p as %p, and as %p where stops group digits', (cell, unit, english, german) => {
  expect(shownFigure(cell, unit, 'en')).toBe(english);
  for (const language of ['de', 'fr', 'es', 'it', 'pt', 'nl'] as const)
    expect(shownFigure(cell, unit, language)).toBe(german);
});

it('calls months and quarters by their names', () => {
  const column = {
    name: 'day',
    originalName: 'Day',
    type: 'date',
    nullable: false,
    values: [],
    complete: false,
  } satisfies AskedColumn;
  expect(shownKey('2025-04-01', { column, unit: 'month' }, 'en')).toBe('2025-04');
  expect(shownKey('2025-04-01', { column, unit: 'quarter' }, 'de')).toBe('2025-Q2');
  expect(shownKey('2025-04-07', { column, unit: 'week' }, 'en')).toBe('2025-04-07');
  expect(shownKey(null, { column, unit: 'month' }, 'en')).toBe('—');
});
