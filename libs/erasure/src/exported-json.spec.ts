import { text } from 'node:stream/consumers';
import { exportedArray, exportedObject } from './exported-json.js';

const listOf = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

/** @param pages grows by what is read of each page */
const paged = (count: number, page: number, pages: number[] = []) => {
  const rows = listOf(count).map((row) => ({ cursor: String(row.n), row }));
  return async (after: string | null) => {
    const from = after === null ? 0 : Number(after) + 1;
    pages.push(from);
    return rows.slice(from, from + page);
  };
};

describe('exportedArray', () => {
  it.each([0, 1, 9, 10, 25])('has all of %i rows, by pages', async (count) => {
    expect(JSON.parse(await text(await exportedArray(paged(count, 10))()))).toEqual(listOf(count));
  });

  it('reads a page when the one before was taken', async () => {
    const pages: number[] = [];
    const stream = await exportedArray(paged(1_000, 10, pages))();
    for await (const _ of stream) if (pages.length > 3) break;
    expect(pages.length).toBe(4);
  });
});

describe('exportedObject', () => {
  it.each([
    ['what is small, and lists', { a: 1, b: { c: null } }, { d: 0, e: 25 }],
    ['lists alone', {}, { d: 1 }],
    ['what is small alone', { a: 'x"\n' }, {}],
    ['nothing', {}, {}],
    ['nothing of what is not there', { a: undefined, b: 1 }, { d: 2 }],
  ])('has %s', async (_, small, counts: Record<string, number>) => {
    const lists = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, paged(count, 10)]));
    const expected = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, listOf(count)]));
    const written = await text(await exportedObject(small, lists)());
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ ...small, ...expected })));
  });
});
