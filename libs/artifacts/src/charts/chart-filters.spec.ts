import { ValidationError } from '@app/common';
import { filterInWords, filterRows, readFilters, requireColumns } from './chart-filters.js';

const columns = [
  { name: 'region', type: 'text' },
  { name: 'amount', type: 'number' },
  { name: 'n', type: 'integer' },
  { name: 'day', type: 'date' },
  { name: 'at', type: 'datetime' },
  { name: 'open', type: 'boolean' },
  { name: 'tags', type: 'json' },
];
const rows = [
  ['North', 10, 1, '2026-01-01', '2026-01-01T08:00:00', true, ['a', 'b']],
  ['South', 20.5, '9007199254740993', '2026-01-31', '2026-01-31T23:59:59.5', false, null],
  [null, null, 3, '2026-02-01', '2026-02-01T00:00:00Z', null, { a: 1 }],
  ['north', -1, 4, null, null, true, []],
];

/** Numbers of the rows that pass. */
const passing = (filters: Record<string, unknown>): number[] => {
  const { rows: left } = filterRows({ columns, rows }, readFilters(filters));
  return left.map((row) => rows.indexOf(row as (typeof rows)[number]));
};
const refusal = (filters: Record<string, unknown>): Record<string, string[]> => {
  try {
    readFilters(filters);
  } catch (error) {
    if (error instanceof ValidationError) return error.fields as Record<string, string[]>;
    throw error;
  }
  throw new Error('Nothing was refused.');
};

describe('filters of charts', () => {
  it.each<[string, Record<string, unknown>, number[]]>([
    ['nothing', {}, [0, 1, 2, 3]],
    ['a text, as it is written', { region: 'North' }, [0]],
    ['one of several', { region: ['North', 'South', 'West'] }, [0, 1]],
    ['no value', { region: null }, [2]],
    ['a value or none', { region: ['North', null] }, [0, 2]],
    ['a number', { amount: 10 }, [0]],
    ['a number that a form sent as text', { amount: '20.50' }, [1]],
    ['a text that is no number', { amount: 'ten' }, []],
    ['an empty text is not 0', { amount: { min: '' } }, []],
    ['at least', { amount: { min: 10 } }, [0, 1]],
    ['numbers and not texts: 9 is less than 10', { amount: { max: '9' } }, [3]],
    ['both bounds, which are within', { amount: { min: -1, max: 10 } }, [0, 3]],
    ['bounds that exclude each other', { amount: { min: 11, max: 10 } }, []],
    ['a number that JavaScript does not have', { n: '9007199254740993' }, [1]],
    ['and not its neighbour', { n: 9007199254740992 }, []],
    ['a day', { day: '2026-01-31' }, [1]],
    ['days', { day: { min: '2026-01-02', max: '2026-02-01' } }, [1, 2]],
    ['a month', { day: '2026-01' }, [0, 1]],
    ['until the end of a day', { at: { max: '2026-01-31' } }, [0, 1]],
    ['a year', { at: { min: '2026', max: '2026' } }, [0, 1, 2]],
    ['to the second', { at: { min: '2026-01-01T08:00:01' } }, [1, 2]],
    ['a moment, however it is written', { at: '2026-01-01 10:00:00.000+02:00' }, [0]],
    ['moments of a clock elsewhere', { at: { min: '2026-02-01T01:00:00+01:00' } }, [2]],
    ['a minute, as a bound', { at: { max: '2026-01-01T08:00' } }, [0]],
    [
      'days between the moments of a calendar',
      { day: { min: '2026-01-01T00:00:00.000Z', max: '2026-01-31T00:00:00.000Z' } },
      [0, 1],
    ],
    ['what is no moment', { at: { min: '2026-13-01T00:00:00Z' } }, []],
    ['what is not even like one', { at: 'x' }, []],
    ['large numbers by each of their digits', { n: { min: '9007199254740994' } }, []],
    ['and within bounds', { n: { min: '9007199254740993', max: '9007199254740993' } }, [1]],
    ['a truth', { open: true }, [0, 3]],
    ['a truth as text', { open: 'false' }, [1]],
    ['a list as it is written', { tags: '["a","b"]' }, [0]],
    ['all at once', { region: ['North', 'north'], open: true, amount: { min: 0 } }, [0]],
    ['text that looks like SQL', { region: "' OR 1=1 --" }, []],
  ])('lets %s pass', (_, filters, expected) => {
    expect(passing(filters)).toEqual(expected);
  });

  it('takes a moment for the day that it is in UTC, as statements do', () => {
    const columns = [{ name: 'at', type: 'datetime' }];
    const rows = [['2026-02-01T00:30:00+02:00'], ['2026-01-31T23:30:00-02:00'], ['some day']];
    const passing = (filters: Record<string, unknown>) => filterRows({ columns, rows }, readFilters(filters)).rows;
    expect(passing({ at: { max: '2026-01-31' } })).toEqual([rows[0]]);
    expect(passing({ at: ['2026-02', 'some day'] })).toEqual([rows[1], rows[2]]);
  });

  it('leaves rows alone by columns that a chart does not have, and says so', () => {
    const { rows: left, skipped } = filterRows({ columns, rows }, readFilters({ region: 'North', country: ['A', 1] }));
    expect(left).toHaveLength(1);
    expect(skipped.map(filterInWords)).toEqual(['"country" is "A" or 1']);
    expect(readFilters({ day: { min: '2026', max: 3 } }).map(filterInWords)).toEqual([
      '"day" is at least "2026" and at most 3',
    ]);
  });

  it('knows a column by its own name, whatever objects inherit', () => {
    const inherited = JSON.parse('{"__proto__": "x", "constructor": 1}') as Record<string, unknown>;
    const filters = readFilters(inherited);
    expect(filters.map(({ column }) => column)).toEqual(['__proto__', 'constructor']);
    expect(filterRows({ columns, rows }, filters).skipped).toHaveLength(2);
    expect(() => requireColumns(filters, [{ columns }])).toThrow(ValidationError);
  });

  it('refuses columns that no chart has, by name', () => {
    const other = [{ name: 'country', type: 'text' }];
    requireColumns(readFilters({ region: 1, country: 2 }), [{ columns }, { columns: other }]);
    expect(() => requireColumns(readFilters({ Region: 1 }), [{ columns }, { columns: other }])).toThrow(
      expect.objectContaining({ fields: { 'filters.Region': ['No chart has a column of this name.'] } }),
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ['filters.region', { region: [] }],
    ['filters.region', { region: Array.from({ length: 101 }, () => 1) }],
    ['filters.region', { region: [['North']] }],
    ['filters.region', { region: [{ min: 1 }] }],
    ['filters.region', { region: {} }],
    ['filters.region', { region: { min: null } }],
    ['filters.region', { region: { min: 1, like: 'x' } }],
    ['filters.region', { region: { min: true } }],
    ['filters.region', { region: { max: [1] } }],
    ['filters.amount', JSON.parse('{"amount": 1e999}') as Record<string, unknown>],
    ['filters.amount', JSON.parse('{"amount": {"min": -1e999, "max": 5}}') as Record<string, unknown>],
    ['filters.region', { region: 'x'.repeat(501) }],
    ['filters.region', { region: { min: 'x'.repeat(501) } }],
    ['filters', { ['x'.repeat(201)]: 1 }],
    ['filters', Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`c${at}`, 1]))],
  ])('names %s for what is no filter', (field, filters) => {
    expect(Object.keys(refusal(filters))).toEqual([field]);
  });
});
