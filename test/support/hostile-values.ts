/** A small seeded generator (mulberry32), so that a failing run can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** What careless and hostile clients send where something else belongs. */
export const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  9_007_199_254_740_992,
  99_999_999_999,
  '',
  ' ',
  'x',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202egpj.exe',
  'مرحبا 👩‍👩‍👧',
  'x'.repeat(5000),
  '../../etc/passwd',
  "'; DROP TABLE users; --",
  '%00%ff%fe',
  '{{_output.x.y}}',
  '00000000-0000-0000-0000-000000000000',
  'not-a-uuid',
  'NaN',
  '1e9',
  '2026-13-45T99:99:99Z',
  [],
  [null],
  [[]],
  ['00000000-0000-0000-0000-000000000000'],
  Array.from({ length: 600 }, () => 'x'),
  {},
  { $ref: '_output.x.y' },
  JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":1}}'),
  { length: 1e9 },
  nested(60),
];
