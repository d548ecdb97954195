import * as fc from 'fast-check';
import { findLostNumber, isEncodedUtf8, parseKeepingNumbers } from './faithful-json.js';

describe('numbers of JSON', () => {
  it.each([
    ['{"a":9007199254740993}', '9007199254740993'],
    ['{"a":[{"b":1e400}]}', '1e400'],
    ['[-1E+309]', '-1E+309'],
    ['{"a":1,"b":-9007199254740993.0}', '-9007199254740993.0'],
    ['1e-400', '1e-400'],
    ['12345678901234567890', '12345678901234567890'],
    ['{"a":9007199254740992,"b":9007199254740991}', null],
    ['1e22', null],
    ['{"a":0.1,"b":1e-7,"c":1.7976931348623157e308,"d":0e400}', null],
    ['{"a":3.14159265358979323846264338327950288}', null],
    ['{"a":"9007199254740993","b":"1e400"}', null],
    ['{"a":1e400', null],
  ])('%s', (text, lost) => {
    expect(findLostNumber(text)).toBe(lost);
  });

  it('are kept whenever JavaScript writes them itself', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findLostNumber(text)).toBeNull();
      }),
      { numRuns: 500, seed: 13 },
    );
  });

  it('are found when they are no double', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }), (number) => {
        const text = `{"list":[${number}]}`;
        expect(findLostNumber(text) === null).toBe(
          BigInt(Number(number)) === number ||
            BigInt(Number(number).toLocaleString('fullwide', { useGrouping: false })) === number,
        );
      }),
      { numRuns: 500, seed: 13 },
    );
  });
});

describe('escapes of queries and forms', () => {
  it.each([
    ['a=%C3%A9&b=%E2%82%AC', true],
    ['a=%', true],
    ['a=%zz&b=100%', true],
    ['a=%ff', false],
    ['a=%C0%AF', false],
    ['a=%ED%A0%80', false],
    ['a=%E2%82', false],
  ])('%s', (text, whole) => {
    expect(isEncodedUtf8(text)).toBe(whole);
  });
});

describe('parseKeepingNumbers', () => {
  it('keeps what a double cannot hold as it was written', () => {
    expect(parseKeepingNumbers('{"id": 9007199254740993, "n": 1.5, "big": [1e400], "ok": 9007199254740992}')).toEqual({
      id: '9007199254740993',
      n: 1.5,
      big: ['1e400'],
      ok: 9007199254740992,
    });
    expect(() => parseKeepingNumbers('{"id": 9007199254740993')).toThrow(SyntaxError);
  });

  it('survives text that is deeper than the stack', () => {
    const deep = `${'['.repeat(200_000)}9007199254740993${']'.repeat(200_000)}`;
    expect(() => parseKeepingNumbers(deep)).toThrow(RangeError);
  });
});
