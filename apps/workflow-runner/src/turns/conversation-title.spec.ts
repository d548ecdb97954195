import { toTitle } from './conversation-title.js';

it.each([
  ['Pump warranty, in years', 'Pump warranty, in years'],
  ['"Pump warranty."', 'Pump warranty'],
  ['**Title:** Pump *warranty*', 'Pump warranty'],
  ['Why 3 * 4 * 5 is 60', 'Why 3 * 4 * 5 is 60'],
  ['Title: **Pump warranty**', 'Pump warranty'],
  ['Titel: „Garantie der Pumpe“', 'Garantie der Pumpe'],
  ['العنوان: ضمان المضخة', 'ضمان المضخة'],
  ['Here is a title:\n\n# Pump warranty\nIt is short.', 'Pump warranty'],
  ['Title:', ''],
  ['Titles of books: a list', 'Titles of books: a list'],
  [' \n\0', ''],
])('takes of %j the title', (text, title) => {
  expect(toTitle(text)).toBe(title);
});

it('cuts a title that is an answer', () => {
  expect(toTitle('x'.repeat(200))).toBe(`${'x'.repeat(79)}…`);
});
