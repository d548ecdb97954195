import type { Cell, QueryResult, ResultType } from '../query/query-messages.js';
import { chooseChart, type ChartType } from './choose-chart.js';

const result = (columns: Record<string, ResultType>, rows: Cell[][]): QueryResult => ({
  columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
  rows,
  truncated: false,
  durationMs: 1,
});

const cities = (count: number) =>
  result(
    { city: 'text', total: 'number' },
    Array.from({ length: count }, (_, at) => [`c${at}`, at + 1]),
  );
const days = result({ day: 'date', total: 'integer' }, [
  ['2024-01-01', 1],
  ['2024-01-02', 2],
]);
const points = result({ height: 'number', weight: 'number' }, [
  [1, 2],
  [3, 4],
]);

const typeOf = (from: QueryResult, question = 'total by city', wanted: ChartType | 'auto' = 'auto') =>
  chooseChart(from, question, wanted)?.chartType ?? null;

describe('chooseChart', () => {
  it('takes bars for things, lines for time, points for pairs that are asked for', () => {
    expect(typeOf(cities(3))).toBe('bar');
    expect(typeOf(days)).toBe('line');
    expect(typeOf(points)).toBeNull();
    expect(typeOf(points, 'plot height against weight')).toBe('scatter');
    expect(typeOf(cities(3), 'what share has each city?')).toBe('pie');
    expect(typeOf(cities(3), 'ما نسبة كل مدينة؟')).toBe('pie');
  });

  it('takes what was chosen where the columns carry it', () => {
    expect(typeOf(cities(3), 'x', 'pie')).toBe('pie');
    expect(typeOf(cities(9), 'x', 'pie')).toBe('bar');
    expect(typeOf(days, 'x', 'bar')).toBe('bar');
    expect(typeOf(cities(3), 'x', 'scatter')).toBeNull();
  });

  it('draws nothing of one row, of rows without numbers, of too many bars, and of numbers that are names', () => {
    expect(typeOf(cities(1))).toBeNull();
    expect(typeOf(cities(51))).toBeNull();
    expect(
      typeOf(
        result({ a: 'text', b: 'text' }, [
          ['x', 'y'],
          ['z', 'w'],
        ]),
      ),
    ).toBeNull();
    expect(
      typeOf(
        result({ city: 'text', customer_id: 'integer' }, [
          ['x', 1],
          ['z', 2],
        ]),
      ),
    ).toBeNull();
  });

  it('draws no picture of plain rows unless it is asked for', () => {
    const rows = result({ a: 'text', b: 'text', c: 'text', n: 'number' }, [
      ['x', 'y', 'z', 1],
      ['z', 'w', 'z', 2],
    ]);
    expect(typeOf(rows, 'show all orders')).toBeNull();
    expect(typeOf(rows, 'draw a chart of all orders')).toBe('bar');
  });

  it('names fields by position, since names of columns can hold anything', () => {
    const odd = result({ 'a.b["c"]': 'text', n: 'integer' }, [
      ['x', 1],
      ['y', 2],
    ]);
    expect(chooseChart(odd, 'q', 'auto')!.spec).toMatchObject({
      encoding: { x: { field: 'c0', type: 'nominal', title: 'a.b["c"]' }, y: { field: 'c1', type: 'quantitative' } },
    });
  });

  it('keeps the question as the title, on one line', () => {
    const title = chooseChart(cities(3), `a\n${'b'.repeat(200)}`, 'auto')!.title;
    expect([title.length, title.startsWith('a b')]).toEqual([120, true]);
  });
});
