import { text } from 'node:stream/consumers';
import { exportedArray } from './exported-array.js';

const written = async (count: number, page: number) => {
  const rows = Array.from({ length: count }, (_, n) => ({ cursor: String(n), row: { n } }));
  const read = async (after: string | null) => {
    const from = after === null ? 0 : Number(after) + 1;
    return rows.slice(from, from + page);
  };
  return JSON.parse(await text(await exportedArray(read)())) as { n: number }[];
};

describe('exportedArray', () => {
  it.each([0, 1, 9, 10, 25])('has all of %i rows, by pages', async (count) => {
    expect(await written(count, 10)).toEqual(Array.from({ length: count }, (_, n) => ({ n })));
  });
});
