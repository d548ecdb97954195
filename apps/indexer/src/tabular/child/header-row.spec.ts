import { findHeaderRow } from './header-row.js';

describe('the header of a table', () => {
  it.each([
    [
      'names above values',
      [
        ['id', 'name'],
        ['1', 'Ann'],
        ['2', 'Bob'],
      ],
      0,
    ],
    [
      'names above texts',
      [
        ['city', 'country'],
        ['Sanaa', 'Yemen'],
      ],
      0,
    ],
    [
      'a title and a blank row above',
      [
        ['Report 2024', null],
        [null, null],
        ['id', 'name'],
        ['1', 'Ann'],
        ['2', 'Bo'],
        ['3', 'Cy'],
      ],
      2,
    ],
    [
      'values from the first row on',
      [
        ['1', 'Ann'],
        ['2', 'Bob'],
      ],
      null,
    ],
    [
      'a date in the first row',
      [
        ['2024-01-01', 'Ann'],
        ['2024-01-02', 'Bob'],
      ],
      null,
    ],
    [
      'Eastern Arabic digits in the first row',
      [
        ['١٢', 'سارة'],
        ['١٣', 'أحمد'],
      ],
      null,
    ],
    [
      'years as names',
      [
        ['Country', '2022', '2023'],
        ['Yemen', '5', '6'],
      ],
      0,
    ],
    [
      'a share in the first row',
      [
        ['12%', 'a'],
        ['13%', 'b'],
      ],
      null,
    ],
    ['one column', [['name'], ['Ann']], 0],
    ['nothing at all', [[null, null]], null],
  ])('is found: %s', (_what, rows, header) => {
    expect(findHeaderRow(rows).header).toBe(header);
  });
});
