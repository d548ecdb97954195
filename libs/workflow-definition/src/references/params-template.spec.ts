import { compileParams, type ReferenceScope } from './params-template.js';
import { cpuStopwatch } from '../../../../test/support/timing.js';

const outputs: Record<string, unknown> = {
  a: { text: 'hi', number: 4, zero: 0, nothing: null, list: [{ name: 'x' }, 'y'], 'with space': 1 },
  'a.b': { c: 'dotted' },
  self: { text: '{{_output.a.text}}' },
};

function isNodeId(id: string): boolean {
  return id in outputs || id === 'skipped';
}

function resolve(params: Record<string, unknown>, payload: Record<string, unknown> | null = null) {
  const warnings: string[] = [];
  const scope: ReferenceScope = {
    payload,
    output: (id) => outputs[id],
    warn: (message) => void warnings.push(message),
  };
  return { params: compileParams(params, isNodeId).resolve(scope), warnings };
}

it.each([
  ['{{_output.a.text}}', 'hi'],
  ['say {{ _output.a.text }}, {{_output.a.number}}!', 'say hi, 4!'],
  ['{{_output.a.zero}}{{_output.a.nothing}}', '0'],
  ['{{_output.a.list}}', '[{"name":"x"},"y"]'],
  ['{{_output.a.list.0.name}}{{_output.a.list[1]}}', 'xy'],
  ['{{_output.a.b.c}}', 'dotted'],
  ['{{_output.a.with space}}', '1'],
  ['{{{_output.a.text}}}', '{hi}'],
  ['{{name}} {{_output.a.text}} }} {{', '{{name}} hi }} {{'],
  ['{{_output.self.text}}', '{{_output.a.text}}'],
  ['{{_webhook_payload.user.name}}', 'Ada'],
])('interpolates %s', (text, expected) => {
  const { params, warnings } = resolve({ text }, { user: { name: 'Ada' } });
  expect(params).toEqual({ text: expected });
  expect(warnings).toEqual([]);
});

it('finds names that hold dots and brackets, after what the path names', () => {
  const payload = { 'user.name': 'Ada', 'user[mail][work]': 'a@x', 'tags[]': ['a'], v: { 'de.at': { 'x.y': 1 } } };
  const text =
    '{{_webhook_payload.user.name}} {{_webhook_payload.user[mail][work]}} {{_webhook_payload.tags[0]}} {{_webhook_payload.v.de.at.x.y}}';
  expect(resolve({ text }, payload)).toEqual({ params: { text: 'Ada a@x a 1' }, warnings: [] });
  const both = { a: { b: 'path' }, 'a.b': 'name' };
  expect(resolve({ text: '{{_webhook_payload.a.b}}' }, both).params).toEqual({ text: 'path' });
});

it('keeps types behind $ref, wherever it stands', () => {
  const { params } = resolve(
    { one: { $ref: '_output.a.number' }, deep: [{ x: { $ref: '_output.a.list' } }], all: { $ref: '_webhook_payload' } },
    { p: true },
  );
  expect(params).toEqual({
    one: 4,
    deep: [{ x: outputs.a && (outputs.a as { list: unknown }).list }],
    all: { p: true },
  });
});

it('turns what is missing into null or an empty text, and says so', () => {
  const { params, warnings } = resolve({
    a: { $ref: '_output.skipped.x' },
    b: 'x{{_output.a.nope.deeper}}y',
    c: { $ref: '_webhook_payload.z' },
    d: { $ref: '_output.a.list.7' },
    e: { $ref: '_output.a.nothing' },
  });
  expect(params).toEqual({ a: null, b: 'xy', c: null, d: null, e: null });
  expect(warnings).toEqual([
    '_output.skipped.x has no value; null was used.',
    '_output.a.nope.deeper has no value; an empty text was used.',
    '_webhook_payload.z has no value; null was used.',
    '_output.a.list.7 has no value; null was used.',
  ]);
});

it('reads own properties only, and never touches a prototype', () => {
  const { params } = resolve({
    a: { $ref: '_output.a.constructor.name' },
    b: { $ref: '_output.a.__proto__' },
    c: { $ref: '_output.a.list.length' },
    d: { $ref: '_output.a.text.length' },
    nested: JSON.parse('{"__proto__": {"$ref": "_output.a.number"}}') as unknown,
  });
  expect(params).toMatchObject({ a: null, b: null, c: null, d: null });
  expect(Object.keys(params.nested as object)).toEqual(['__proto__']);
  expect(({} as { number?: number }).number).toBeUndefined();
});

it('hands on params without references as they are', () => {
  const params = { a: '{{x}}', b: { $ref: '#/definitions/y' }, c: [1] };
  expect(resolve(params).params).toBe(params);
});

it.each(['{{', '}}', '{{{{}}}}', '{{_output.a.text}}'])('takes linear time over many "%s"', (piece) => {
  const took = cpuStopwatch();
  const template = compileParams({ text: piece.repeat(20_000) }, (id) => id === 'a');
  template.resolve({ payload: null, output: () => ({ text: 'x' }), warn: () => undefined });
  expect(took()).toBeLessThan(1_000);
});

it('stops interpolation that grows without bounds', () => {
  const big = 'x'.repeat(1_000_000);
  const template = compileParams({ text: '{{_output.a.text}}'.repeat(1_000) }, () => true);
  const scope = { payload: null, output: () => ({ text: big }), warn: () => undefined };
  expect(() => template.resolve(scope)).toThrow('too large');
});
