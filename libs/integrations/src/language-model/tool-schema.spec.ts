import { Ajv2020 } from 'ajv/dist/2020.js';
import { assert, constantFrom, object, property } from 'fast-check';
import { ToolCallReading } from './tool-call-reading.js';
import { toToolInput, toToolSchema } from './tool-schema.js';
import { rounds } from '../../../../test/support/long.js';

const TOP = ['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else'];
const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** What endpoints demand, as far as they say. */
function expectTaken(schema: Record<string, unknown>): void {
  // One for each, which remembers what a schema calls itself; told not to, it does not find `#`.
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
  ajv.compile(schema);
  expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) as object });
  expect(Object.keys(schema).filter((key) => TOP.includes(key))).toEqual([]);
  for (const name of Object.keys(schema.properties as object)) expect(name).toMatch(NAME);
}

const text = { type: 'string' };
const node = {
  type: 'object',
  properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
  required: ['children'],
};

describe('toToolSchema', () => {
  it.each([
    ['nothing', {}, { type: 'object', properties: {} }],
    ['no type', { properties: { x: {} } }, { type: 'object', properties: { x: {} } }],
    ['two types', { type: ['object', 'null'], properties: { a: text } }, { type: 'object', properties: { a: text } }],
    ['another type', { type: 'string', enum: ['a'] }, { type: 'object', properties: {} }],
    [
      'choices',
      {
        properties: { id: text },
        required: ['id'],
        oneOf: [
          { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'], additionalProperties: false },
          { type: 'object', properties: { b: { type: 'integer' } }, required: ['b'] },
        ],
      },
      {
        type: 'object',
        properties: { id: text, a: text, b: { anyOf: [text, { type: 'integer' }] } },
        required: ['id', 'b'],
      },
    ],
    [
      'parts of one whole',
      {
        allOf: [{ properties: { a: text }, required: ['a'] }, { $ref: '#/$defs/b' }],
        $defs: { b: { properties: { b: text } } },
      },
      { $defs: { b: { properties: { b: text } } }, type: 'object', properties: { a: text, b: text }, required: ['a'] },
    ],
    [
      'a reference at the top',
      { $ref: '#/$defs/node', $defs: { node } },
      { $defs: { node }, type: 'object', properties: node.properties, required: ['children'] },
    ],
    [
      'older drafts',
      {
        $schema: 'http://json-schema.org/draft-04/schema#',
        id: 'x',
        type: 'object',
        properties: {
          n: { type: 'number', minimum: 0, exclusiveMinimum: true, required: true },
          t: { type: 'array', items: [text], additionalItems: false },
        },
      },
      {
        type: 'object',
        properties: {
          n: { type: 'number', exclusiveMinimum: 0 },
          t: { type: 'array', prefixItems: [text], items: false },
        },
      },
    ],
    [
      'what is no schema',
      {
        type: 'object',
        properties: {
          a: null,
          b: { type: 'text', description: 5, enum: [] },
          c: { type: 'string', pattern: '([open', minLength: -1 },
          d: { type: 'array' },
        },
        required: 'a',
      },
      { type: 'object', properties: { a: {}, b: {}, c: text, d: { type: 'array', items: {} } } },
    ],
    [
      'references that lead nowhere',
      { type: 'object', properties: { a: { $ref: 'https://evil.example/s.json' }, b: { $ref: '#/definitions/none' } } },
      { type: 'object', properties: { a: {}, b: {} } },
    ],
  ])('makes of %s what endpoints take', (_, given, made) => {
    const { schema, names } = toToolSchema(given);
    expect(schema).toEqual(made);
    expect(names.size).toBe(0);
    expectTaken(schema);
  });

  it('leaves what is as it should be word for word', () => {
    const given = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['name'],
      properties: { name: { description: 'Its name', type: ['string', 'null'], default: { type: 'odd' } }, any: true },
      additionalProperties: { anyOf: [text, { $ref: '#/$defs/node' }] },
      type: 'object',
      $defs: { node },
    };
    expect(JSON.stringify(toToolSchema(given).schema)).toBe(JSON.stringify(given));
  });

  it('gives arguments names that endpoints take, and hears them by their own', () => {
    const inputSchema = {
      type: 'object',
      properties: { größe: { type: 'number', description: 'In cm' }, $x: text, _x: text, 'a b/c': true, ok: text },
      required: ['größe', 'ok'],
    };
    const made = toToolSchema(inputSchema);
    expect(made.schema).toEqual({
      type: 'object',
      properties: {
        gr_e: { type: 'number', description: '"größe": In cm' },
        _x_2: { type: 'string', description: '"$x"' },
        _x: text,
        a_b_c: { description: '"a b/c"' },
        ok: text,
      },
      required: ['gr_e', 'ok'],
    });
    const calls = new ToolCallReading([{ name: 'resize', inputSchema }], []);
    expect(calls.read('1', 'resize', '{"gr_e":5,"_x_2":"a","_x":"b","größe_":1}').input).toEqual({
      größe: 5,
      $x: 'a',
      _x: 'b',
      größe_: 1,
    });
    expect(toToolInput(toToolSchema({ type: 'object' }), { größe: 5 })).toEqual({ größe: 5 });
  });

  it('ends for references that lead round in circles', () => {
    const choices = Array.from({ length: 2000 }, () => ({ $ref: '#' }));
    const { schema } = toToolSchema({ anyOf: choices, oneOf: choices, properties: { a: text } });
    expect(schema).toEqual({ type: 'object', properties: { a: text } });
  });

  it('makes something of whatever it is given', () => {
    const keys = `type properties items additionalItems anyOf allOf $ref $defs required enum if minimum exclusiveMinimum
      minLength pattern additionalProperties prefixItems a é $id`.split(/\s+/);
    const words = [
      'object',
      'array',
      '#',
      '#/properties/a',
      '#/$defs/a',
      '#/anyOf/0',
      '#/items/0',
      'a',
      '(',
      true,
      null,
      1,
    ];
    const schemas = object({ key: constantFrom(...keys), values: [constantFrom(...words)], maxDepth: 5, maxKeys: 6 });
    assert(
      property(schemas, (given) => expectTaken(toToolSchema(given as Record<string, unknown>).schema)),
      {
        numRuns: rounds(1_000, 100, 20),
      },
    );
  });
});
