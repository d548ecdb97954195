import { hostileTexts } from '../../../../test/support/hostile-texts.js';
import { bindParams, trialParams } from './bind-params.js';
import type { NamedQuery, ParamType, QueryParam } from './named-query.js';

const query = (...params: QueryParam[]): NamedQuery => ({ name: 'q', sourceRef: 'ds:1', sql: 'SELECT 1', params });
const bind = (type: ParamType, value: unknown) => bindParams(query({ name: 'p', type }), { p: value })['p'];

describe('parameters of a query', () => {
  it('take what is given, else their defaults, in the order of their declarations', () => {
    const asked = query(
      { name: 'b', type: 'text', default: 'x' },
      { name: 'a', type: 'number' },
      { name: 'n', type: 'date', default: null },
      { name: 'constructor', type: 'boolean', default: true },
    );
    expect(Object.entries(bindParams(asked, { a: 1 }))).toEqual([
      ['b', 'x'],
      ['a', 1],
      ['n', null],
      ['constructor', true],
    ]);
    expect(bindParams(asked, { a: null, b: null, n: undefined })).toMatchObject({ a: null, b: null, n: null });
  });

  it('are told by name when they are missing, unknown or of another type', () => {
    const asked = query({ name: 'city', type: 'text' }, { name: 'day', type: 'date' }, { name: 'n', type: 'number' });
    expect(() => bindParams(asked, { day: '2026-02-30', n: '3', other: 1 })).toThrow(
      expect.objectContaining({
        code: 'invalid_params',
        message:
          'The query "q" cannot be asked: city is missing (text); day has to be a date, such as 2026-01-31; n has to be a number; other is not declared.',
        extra: { params: expect.objectContaining({ city: expect.anything(), other: 'is not declared' }) },
      }),
    );
    expect(() => bindParams(query(), JSON.parse('{"__proto__": 1}') as object as Record<string, unknown>)).toThrow(
      /__proto__/,
    );
  });

  it.each<[ParamType, unknown[], unknown[]]>([
    [
      'text',
      ['', 'x', "'", 'a\nb', 'x'.repeat(20_000)],
      [1, true, [], {}, ['x'], 'a\0b', '\ud800', 'x'.repeat(20_001)],
    ],
    ['number', [0, -1.5, 1e300, 2 ** 53], ['1', '', true, NaN, Infinity, [1], {}, 1n]],
    ['boolean', [true, false], [1, 0, 'true', '', [], {}]],
    [
      'date',
      ['2024-02-29', '0001-01-01', '9999-12-31'],
      [
        '2023-02-29',
        '2024-13-01',
        '2024-1-1',
        '0000-01-01',
        '20240101',
        '2024-01-01T00:00:00',
        '',
        20_240_101,
        new Date(),
        '+002024-01-01',
      ],
    ],
  ])('are of their type: %s', (type, right, wrong) => {
    for (const value of right) expect(bind(type, value)).toBe(value);
    expect(bind(type, null)).toBeNull();
    for (const value of wrong)
      expect(() => bind(type, value)).toThrow(expect.objectContaining({ code: 'invalid_params' }));
  });

  it('that are no text take nothing of what hostile people write', () => {
    const taken = hostileTexts(500).filter((value) =>
      (['number', 'boolean'] as const).some((type) => {
        try {
          bind(type, value);
          return true;
        } catch {
          return false;
        }
      }),
    );
    expect(taken).toEqual([]);
  });

  it('have values to try a statement with', () => {
    const asked = query(
      { name: 'a', type: 'text' },
      { name: 'b', type: 'number' },
      { name: 'c', type: 'date', default: '2020-01-01' },
    );
    expect(bindParams(asked, trialParams(asked))).toEqual({ a: null, b: 1, c: '2020-01-01' });
  });
});
