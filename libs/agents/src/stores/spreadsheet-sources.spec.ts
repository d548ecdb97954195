import type { AskedTable } from '@app/tabular';
import { columnLetters, columnNumber, toSpreadsheetSources } from './spreadsheet-sources.js';

const names = ['id', 'city', 'amount', 'note'];
const table = {
  alias: 'orders',
  uid: 'u',
  filename: 'orders.xlsx',
  sheet: 'Orders',
  columns: names.map((name) => ({ name })),
  range: 'B3:E13',
  firstRow: 4,
  contiguous: true,
} as unknown as AskedTable;

const rangesOf = (columns: string[], spans: [number, number][], changes: Partial<AskedTable> = {}) =>
  toSpreadsheetSources([{ table: 'orders', columns, spans, rows: [[1]] }], [{ ...table, ...changes }])[0]!.ranges;

describe('toSpreadsheetSources', () => {
  it('names blocks of columns and runs of rows as the sheet does', () => {
    expect(rangesOf(['city', 'amount'], [[0, 9]])).toEqual(['C4:D13']);
    expect(
      rangesOf(
        ['id', 'amount'],
        [
          [0, 0],
          [2, 4],
        ],
      ),
    ).toEqual(['B4', 'D4', 'B6:B8', 'D6:D8']);
  });

  it('points at the whole table where rows were left out', () => {
    expect(rangesOf(['city'], [[1, 1]], { contiguous: false })).toEqual(['C4:C13']);
  });

  it('has no range where no row was found', () => {
    expect(rangesOf(['city'], [])).toEqual([]);
  });
});

it('counts columns in letters', () => {
  for (const [letters, number] of [
    ['A', 1],
    ['Z', 26],
    ['AA', 27],
    ['AZ', 52],
    ['ZZ', 702],
    ['AAA', 703],
  ] as const)
    expect([columnNumber(letters), columnLetters(number)]).toEqual([number, letters]);
});
