import { alignRows, type RowToAlign } from './align-rows.js';

const row = (item: string, price: number | null, ...kept: string[]): RowToAlign => ({
  data: { item, price },
  kept: new Set(kept),
});
const read = (...items: [string, number | null][]) => items.map(([item, price]) => ({ item, price }));
const align = (there: RowToAlign[], values: ReturnType<typeof read>) => alignRows(there, values, ['item', 'price']);

describe('rows of a source that is read again', () => {
  it('follow in their order where nobody has worked on them', () => {
    expect(align([row('a', 1), row('b', 2)], read(['x', 9], ['b', 2], ['c', 3]))).toEqual([0, 1]);
    expect(align([row('a', 1), row('b', 2)], read(['b', 2]))).toEqual([0, null]);
    expect(align([], read(['b', 2]))).toEqual([]);
  });

  it('that somebody has worked on are found by what else they say, wherever it stands now', () => {
    const there = [row('a', 1), row('b', 99, 'price'), row('c', 3)];
    expect(align(there, read(['new', 0], ['a', 1], ['b', 2], ['c', 3]))).toEqual([0, 2, 1]);
    expect(align(there, read(['b', 2], ['a', 1], ['c', 3]))).toEqual([1, 0, 2]);
  });

  it('stay alone when they are in the document no more', () => {
    expect(align([row('a', 1), row('b', 99, 'price')], read(['a', 1], ['z', 5]))).toEqual([0, null]);
  });

  it('are told apart by their place where they say the same', () => {
    const there = [row('a', 1), row('a', 7, 'price'), row('a', 1)];
    expect(align(there, read(['a', 1], ['a', 1], ['a', 1]))).toEqual([0, 1, 2]);
  });

  it('of which all is a person’s keep their place', () => {
    const there = [row('a', 1), row('b', 99, 'item', 'price')];
    expect(align(there, read(['x', 4], ['y', 5]))).toEqual([0, 1]);
    expect(align(there, read(['x', 4]))).toEqual([0, null]);
  });

  it('the one row of a document is its row, however it is read', () => {
    expect(align([row('a', 1, 'item')], read(['z', 9]))).toEqual([0]);
  });

  it('are thousands in no time', () => {
    const there = Array.from({ length: 3_000 }, (_, index) => row(`i${index}`, index, 'price'));
    const same = read(...there.map(({ data }): [string, number] => [data.item as string, 0]));
    expect(align(there, same)).toEqual(there.map((_, index) => index));
  });
});
