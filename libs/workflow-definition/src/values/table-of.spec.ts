import { tableOf } from './table-of.js';

describe('tableOf', () => {
  it.each([
    [
      'objects by their keys',
      [{ a: 1 }, { b: 'x', a: null }],
      {
        columns: ['a', 'b'],
        rows: [
          [1, null],
          [null, 'x'],
        ],
      },
    ],
    [
      'lists with a header',
      [['n', 'm'], [1], [2, 3]],
      {
        columns: ['n', 'm'],
        rows: [
          [1, null],
          [2, 3],
        ],
      },
    ],
    ['the list inside', { items: [{ a: { b: 1 } }], count: 1 }, { columns: ['a'], rows: [['{"b":1}']] }],
    ['an object as one row', { a: true, c: [1] }, { columns: ['a', 'c'], rows: [[true, '[1]']] }],
    ['plain values', ['x', 2], { columns: ['value'], rows: [['x'], [2]] }],
    ['text', 'x', { columns: ['value'], rows: [['x']] }],
    ['nothing', null, { columns: [], rows: [] }],
    ['a hostile key', [JSON.parse('{"__proto__": 1}')], { columns: ['__proto__'], rows: [[1]] }],
  ])('reads %s', (_, output, expected) => {
    expect(tableOf(output, 100)).toEqual(expected);
  });

  it('leaves out what is beyond the limit', () => {
    expect(tableOf([1, 2, 3], 2).rows).toEqual([[1], [2]]);
  });
});
