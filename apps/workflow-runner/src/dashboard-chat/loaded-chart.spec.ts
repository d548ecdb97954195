import { loadedChart } from './loaded-chart.js';

const typesOf = (type: string, ...cells: unknown[]) => {
  const { columns, rows } = loadedChart({ columns: [{ name: 'c', type }], rows: cells.map((cell) => [cell]) });
  return [columns[0]!.type, ...rows.map(([cell]) => cell)];
};

describe('charts as statements see them', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['integer', [1, null, '900719925474099312'], ['integer', 1, null, '900719925474099312']],
    ['integer', [1, '99999999999999999999'], ['number', 1, 1e20]],
    ['integer', [1.5, 2], ['number', 1.5, 2]],
    ['integer', ['many', 2], ['text', 'many', '2']],
    ['number', [1.5, '12345678901234567.25', null], ['number', 1.5, 12_345_678_901_234_568, null]],
    ['number', ['', 1], ['text', '', '1']],
    ['boolean', [true, null], ['boolean', true, null]],
    ['date', ['2026-01-31', null], ['date', '2026-01-31', null]],
    ['date', ['2026-01-31', 'infinity'], ['text', '2026-01-31', 'infinity']],
    [
      'datetime',
      ['2026-01-31T08:00:00', '2026-01-31T08:00:00.5Z'],
      ['datetime', '2026-01-31T08:00:00.000', '2026-01-31T08:00:00.500'],
    ],
    ['json', [['a'], { b: 1 }, null], ['text', '["a"]', '{"b":1}', null]],
    ['unheard of', ['x'], ['text', 'x']],
    ['integer', [], ['integer']],
  ])('takes %s %j as %j', (type, cells, expected) => {
    expect(typesOf(type, ...cells)).toEqual(expected);
  });

  it('names each column once, and each', () => {
    const columns = ['n', 'N', '', 'n_2'].map((name) => ({ name, type: 'text' }));
    const { columns: named, rows } = loadedChart({ columns, rows: [['a', 'b', 'c']] });
    expect(named.map(({ name }) => name)).toEqual(['n', 'N_2', 'column_3', 'n_2_2']);
    expect(rows).toEqual([['a', 'b', 'c', null]]);
  });
});
