import { cpuStopwatch } from '../../../../test/support/timing.js';
import type { SourceStatement } from '../shapes/result-shapes.js';
import { bindPlaceholders } from './bind-placeholders.js';
import { checkStatement } from './check-statement.js';
import { tokenize } from './sql-tokens.js';

const kindsOf = (sql: string, dialect: 'postgres' | 'mysql') =>
  tokenize(sql, dialect)
    .filter(({ kind }) => kind !== 'space')
    .map(({ kind, text }) => `${kind} ${text}`);

const TYPES = { a: 'text', n: 'number', d: 'date', b: 'boolean' } as const;
const bound = (sql: string, dialect: 'postgres' | 'mysql', params: SourceStatement['params'] = {}) =>
  bindPlaceholders({ sql, params: { a: 'x', n: 1, d: '2026-01-31', b: true, ...params }, types: TYPES }, dialect);

describe('the pieces of a statement', () => {
  it.each([
    [`'it''s :a'`, ["text 'it''s :a'"]],
    [`E'it\\'s :a' :a`, [`text E'it\\'s :a'`, 'placeholder a']],
    [`'back\\' :a`, [`text 'back\\'`, 'placeholder a']],
    ['"odd "" :a" :A', ['name "odd "" :a"', 'placeholder a']],
    ['$$ :a $$ $x$ $$ :a $x$', ['text $$ :a $$', 'text $x$ $$ :a $x$']],
    ['a$b$ :a', ['word a$b$', 'placeholder a']],
    ['1 -- :a\n/* /* :a */ :a */ :a', ['number 1', 'placeholder a']],
    [
      'x::int y[1:a] (:a)',
      [
        'word x',
        'symbol ::',
        'word int',
        'word y',
        'symbol [',
        'number 1',
        'symbol :',
        'word a',
        'symbol ]',
        'symbol (',
        'placeholder a',
        'symbol )',
      ],
    ],
    ['# :a', ['symbol #', 'placeholder a']],
    ['1.5e-3 .5 10', ['number 1.5e-3', 'number .5', 'number 10']],
    [
      '0x1F 0b1_0 0o17 1_000.5_0e1_0 1.',
      ['number 0x1F', 'number 0b1_0', 'number 0o17', 'number 1_000.5_0e1_0', 'number 1.'],
    ],
    [`"text"$q$ ' $q$ ) $$'$$`, ['name "text"', `text $q$ ' $q$`, 'symbol )', `text $$'$$`]],
    [`'a'\n'b\\' :a`, [`text 'a'`, `text 'b\\'`, 'placeholder a']],
    [`\u00a0e'\\' :a`, ['word \u00a0e', `text '\\'`, 'placeholder a']],
  ])('of Postgres: %j', (sql, kinds) => expect(kindsOf(sql, 'postgres')).toEqual(kinds));

  it.each([
    [`'it\\'s :a' "it's \\" :a" :a`, [`text 'it\\'s :a'`, `text "it's \\" :a"`, 'placeholder a']],
    ['`odd `` :a` :a', ['name `odd `` :a`', 'placeholder a']],
    ['1 # :a\n-- :a\n/* /* :a */ :a', ['number 1', 'placeholder a']],
    ['1--:a', ['number 1', 'symbol -', 'symbol -', 'placeholder a']],
    ["1--\x7f' :a\n 1--", ['number 1', 'number 1']],
    ['1e1into 1.into .5into 1E+2into', ['1e1', '1.', '.5', '1E+2'].flatMap((each) => [`number ${each}`, 'word into'])],
    ['2024_sales 0x1F 0b10', ['number 2024', 'word _sales', 'number 0', 'word x1F', 'number 0', 'word b10']],
    ['@x := :a', ['symbol @', 'word x', 'symbol :=', 'placeholder a']],
  ])('of MySQL: %j', (sql, kinds) => expect(kindsOf(sql, 'mysql')).toEqual(kinds));

  it.each([
    ["'x", 'postgres'],
    ['"x', 'postgres'],
    ['$x$ $$', 'postgres'],
    ['/* /* */', 'postgres'],
    ['$1', 'postgres'],
    [`U&"\\0061"`, 'postgres'],
    ['a\0', 'postgres'],
    ["'x\\'", 'mysql'],
    ['`x', 'mysql'],
    [`E'a'\n'b'`, 'postgres'],
    [`E'a' /**/\n'\\''`, 'postgres'],
    [`e'a' -- :a\n'b'`, 'postgres'],
    [`1e'\\''`, 'postgres'],
    [`0o1e'\\''`, 'postgres'],
    ['1into', 'postgres'],
    ['a \x01', 'postgres'],
    ['a \v', 'mysql'],
    ['a \x7f', 'mysql'],
    ['\\Ninto', 'mysql'],
    ['/*! 1 */', 'mysql'],
    ['/*m! 1 */', 'mysql'],
    ['?', 'mysql'],
  ] as const)('are none of %j (%s)', (sql, dialect) =>
    expect(() => tokenize(sql, dialect)).toThrow(expect.objectContaining({ code: 'query_refused' })),
  );

  it('take no longer than their length allows', () => {
    const spent = cpuStopwatch();
    for (const part of ['(', "'a' ", '/* */ ', ':a ', '"a" ', 'a.b ', '$a$ $a$ ', '-', '\\']) {
      const sql = `SELECT ${part.repeat(Math.floor(49_000 / part.length))}`;
      for (const dialect of ['postgres', 'mysql'] as const)
        try {
          bound(sql, dialect);
        } catch {
          // Whatever it is.
        }
    }
    expect(spent()).toBeLessThan(5000);
  });
});

describe('parameters', () => {
  it('of Postgres have the types that literals would have, and one place for one expression', () => {
    expect(bound('SELECT :a, :n, :N, :d, :b, :a WHERE :a IS NULL', 'postgres')).toEqual({
      text: 'SELECT $1, $2::int4, $2::int4, $3::date, $4::boolean, $1 WHERE $5::text IS NULL',
      values: ['x', 1, '2026-01-31', true, 'x'],
    });
    for (const [value, type] of [
      [2 ** 31, 'int8'],
      [-(2 ** 31), 'int4'],
      [1.5, 'numeric'],
      [null, 'numeric'],
      [1e300, 'numeric'],
    ] as const)
      expect(bound('SELECT :n', 'postgres', { n: value }).text).toBe(`SELECT $1::${type}`);
  });

  it('of MySQL have a place each', () => {
    expect(bound('SELECT :a, :n, :a', 'mysql')).toEqual({ text: 'SELECT ?, ?, ?', values: ['x', 1, 'x'] });
  });

  it('are never a part of the text', () => {
    for (const dialect of ['postgres', 'mysql'] as const) {
      const { text } = bound('SELECT :a', dialect);
      for (const hostile of [`'; DROP TABLE x; --`, `\\' OR 1=1 #`, '$1', '?', ':a', '\u0000', '*/', '%27'])
        expect(bound('SELECT :a', dialect, { a: hostile })).toEqual({ text, values: [hostile] });
    }
  });
});

it.each([
  ['SELECT 1;;  ', 'SELECT 1'],
  ['SELECT /*+ SET_VAR(max_execution_time=0) */ 1', 'SELECT   1'],
  ['(SELECT 1)', '(SELECT 1)'],
])('%j is run as %j', (sql, text) => {
  expect(bound(sql, 'mysql').text).toBe(text);
});

it.each([
  'SELECT t.lo_rate, t.created FROM t',
  'SELECT lo_rate(1)',
  'SELECT nextval FROM t',
  'SELECT a.dblink_id FROM a',
])('%j runs', (sql) => expect(() => checkStatement(sql, 'postgres')).not.toThrow());

it.each([
  '',
  ';',
  'VALUES (1)',
  'TABLE x',
  'EXPLAIN SELECT 1',
  'SELECT 1;SELECT 2',
  `SELECT '${'x'.repeat(50_000)}'`,
  'SELECT \ud800',
])('%.40j does not run', (sql) =>
  expect(() => checkStatement(sql, 'postgres')).toThrow(expect.objectContaining({ code: 'query_refused' })),
);
