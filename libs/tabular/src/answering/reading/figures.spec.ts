import { shownFigure } from './figures.js';

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
