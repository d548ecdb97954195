import { drawRows, rowsOfItems } from './draw-rows.js';

const LIMITS = { rows: 3, columns: 2, cellCharacters: 5 };

describe('rowsOfItems', () => {
  it('makes columns of members, in the order in which they come, with their types', () => {
    const items = [
      { at: '2026-01-31', n: 1 },
      { n: null, at: '2026-02-01' },
    ];
    expect(rowsOfItems(items, { ...LIMITS, cellCharacters: 20 })).toEqual({
      columns: [
        { name: 'at', type: 'date' },
        { name: 'n', type: 'integer' },
      ],
      rows: [
        ['2026-01-31', 1],
        ['2026-02-01', null],
      ],
      truncated: false,
    });
  });

  it.each<[string, unknown[], string[], unknown[][]]>([
    ['nothing', [], [], []],
    ['what is no object', [1, 'a', null], ['value'], [[1], ['a'], [null]]],
    ['lists', [[1, 2]], ['value'], [['[1,2]']]],
    ['what no number is', [Number.NaN, Number.POSITIVE_INFINITY], ['value'], [[null], [null]]],
    ['long text', ['abcdefgh'], ['value'], [['abcd…']]],
    ['a member that every object has', [{ constructor: 1 }, {}], ['constructor'], [[1], [null]]],
  ])('takes %s', (_, items, names, rows) => {
    const found = rowsOfItems(items, LIMITS);
    expect([found.columns.map(({ name }) => name), found.rows]).toEqual([names, rows]);
  });

  it('says what it left out', () => {
    expect(rowsOfItems([1, 2, 3, 4], LIMITS)).toMatchObject({ rows: [[1], [2], [3]], truncated: true });
    expect(rowsOfItems([{ a: 1, b: 2, c: 3 }], LIMITS)).toMatchObject({ rows: [[1, 2]], truncated: true });
  });
});

describe('drawRows', () => {
  const rows = rowsOfItems(
    [
      { city: 'Rome', n: 1 },
      { city: 'Oslo', n: 2 },
    ],
    { ...LIMITS, cellCharacters: 20 },
  );

  it.each(['bar', 'line', 'area', 'pie', 'number', 'table'] as const)('draws %s', (type) => {
    const { chartType, spec } = drawRows(rows, type);
    expect(chartType).toBe(type);
    expect(Object.keys(spec).length > 0).toBe(type !== 'table');
  });

  it('draws as a table what cannot be drawn so', () => {
    expect(drawRows(rows, 'scatter')).toEqual({ chartType: 'table', spec: {} });
    expect(drawRows({ columns: [], rows: [], truncated: false }, 'number').chartType).toBe('table');
  });
});
