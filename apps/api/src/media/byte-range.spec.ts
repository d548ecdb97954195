import { parseRange } from './byte-range.js';

describe('parseRange', () => {
  it.each([
    [undefined, null],
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=90-500', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-500', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-5', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    ['bytes=-', null],
  ])('reads %j of 100 bytes as %j', (header, expected) => {
    expect(parseRange(header, 100)).toEqual(expected);
  });
});
