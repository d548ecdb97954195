import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { importN8n, parseDefinition, toDefinitionSchema } from '@app/workflow-definition';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { toolCatalogue } from './index.js';
import { rounds } from '../../../test/support/long.js';

type Json = Record<string, unknown>;
interface Definition extends Json {
  nodes: (Json & { id: string; kind: string; params: Json })[];
}

const schema = toDefinitionSchema(toolCatalogue);
const ajv = new Ajv2020({ strict: true, strictTypes: true, strictRequired: true, strictTuples: true });
const validate = ajv.compile(schema);
const tools = toolCatalogue.toListing({}).tools;

const one = (kind: string, params: unknown, more: Json = {}) => ({ nodes: [{ id: 'it', kind, params, ...more }] });
const examples = tools.flatMap(({ kind, params_schema: params }) =>
  ((params.examples ?? [{}]) as Json[]).map((given): Definition => {
    const nodes = ['a', 'b'].map((id) => ({ id, kind: 'no_op', params: {} }));
    return { nodes: [{ id: 'it', kind, params: given, next: ['a', 'b'] }, ...nodes] };
  }),
);
const fixtures = resolve(__dirname, '../../../test/fixtures/n8n');
const imported = readdirSync(fixtures).map((name): Definition => {
  const json: unknown = JSON.parse(readFileSync(resolve(fixtures, name), 'utf8'));
  return importN8n(json, 'json', toolCatalogue).jsonSpec as unknown as Definition;
});
const corpus = [...examples, ...imported];

/** Numbers from 0 to 1 that depend on the seed alone (Lehmer). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const pick = <T>(random: () => number, items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

/** Codes that speak of references, not of shapes: those of the examples point nowhere. */
const LOGICAL = new Set([
  'unknown_reference',
  'unknown_secret',
  'unknown_node',
  'cycle',
  'missing_error_next',
  'duplicate_id',
]);
const shapeErrors = (json: unknown) =>
  parseDefinition(json, toolCatalogue).errors.filter(({ code }) => !LOGICAL.has(code));

const ODD: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e9,
  '',
  'x',
  '7',
  '{{_output.a.b}}',
  'a {{ _item.x }} b',
  '{{nothing}}',
  '{{_secret.k}}',
  [],
  ['x'],
  [7],
  ['{{_index}}'],
  [{}],
  {},
  { a: 1 },
  { $ref: '_output.a' },
  { $ref: '#/x' },
  { deep: { $ref: '_item' } },
  [{ $ref: '_webhook_payload.x' }],
  'y'.repeat(5_000),
];

/** A definition with one value somewhere replaced, left out or added. */
function mutate(definition: Definition, random: () => number): unknown {
  const copy = structuredClone(definition) as Json;
  const places: { holder: Json | unknown[]; key: string | number }[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      places.push({ holder: value as Json, key });
      walk((value as Json)[key]);
    }
  };
  walk(copy);
  const { holder, key } = pick(random, places);
  const choice = random();
  if (choice < 0.75) (holder as Json)[key] = pick(random, ODD);
  else if (choice < 0.9 || Array.isArray(holder)) Reflect.deleteProperty(holder, key);
  else
    holder[pick(random, ['params', 'next', 'retry', 'on_error', 'items', 'limit', 'body', 'requires'])] = pick(
      random,
      ODD,
    );
  // As it comes over the wire: lists have no holes.
  return JSON.parse(JSON.stringify(copy)) as unknown;
}

describe('the published schema of definitions', () => {
  it('describes every kind with all of its params', () => {
    const defs = schema.$defs as Record<string, { title: string; description: string; properties: Json }>;
    for (const tool of tools) {
      const text = JSON.stringify(defs[`kind_${tool.kind}`]);
      for (const { name, description } of tool.params) {
        expect(text).toContain(JSON.stringify(name));
        expect(text).toContain(JSON.stringify(description));
      }
    }
    expect(JSON.stringify(schema)).not.toContain('x-coerced');
  });

  it('allows every example, and what is imported', () => {
    for (const definition of corpus) {
      expect(shapeErrors(definition)).toEqual([]);
      expect([definition.nodes[0]?.kind, validate(definition), validate.errors]).toEqual([
        definition.nodes[0]?.kind,
        true,
        null,
      ]);
    }
  });

  it('allows whatever else a save accepts, and refuses most of what it refuses', () => {
    const random = createRandom(20_261_122);
    let refused = 0;
    const missed: string[] = [];
    for (let round = 0; round < rounds(30_000, 3_000, 800); round += 1) {
      const mutant = mutate(pick(random, corpus), random);
      const errors = shapeErrors(mutant);
      const isAllowed = validate(mutant);
      if (errors.length === 0)
        expect([isAllowed, JSON.stringify(mutant), validate.errors]).toEqual([true, expect.anything(), null]);
      else {
        refused += 1;
        if (isAllowed) missed.push(`${errors[0]!.path}: ${errors[0]!.message}`);
      }
    }
    expect(refused).toBeGreaterThan(rounds(5_000, 500, 100));
    // Rules between params, and values that only code can check.
    expect([missed.length / refused < 0.02, missed.slice(0, 20)]).toEqual([true, expect.anything()]);
  });

  it.each([
    [null],
    [[]],
    [{}],
    [{ nodes: {} }],
    [{ nodes: [7] }],
    [{ nodes: [{ kind: 'no_op' }] }],
    [{ nodes: [{ id: 'a' }] }],
    [{ nodes: [{ id: 'a{', kind: 'no_op' }] }],
    [one('no_kind', {})],
    [one('no_op', [])],
    [one('no_op', {}, { next: 'a' })],
    [one('no_op', {}, { on_error: 'ignore' })],
    [one('no_op', {}, { retry: { max_attempts: 11 } })],
    [one('no_op', {}, { requires: { wait_for: 'a' } })],
    [one('no_op', {}, { timeout_seconds: 0 })],
    [one('template', {})],
    [one('template', undefined)],
    [one('template', { template: 7 })],
    [one('condition', { operator: 'like' })],
    [one('condition', { operator: '{{_output.a.b}}' })],
    [one('condition', { if_true: [7] })],
    [one('switch', { cases: [] })],
    [one('switch', { cases: [{ operator: 'like', value: '{{_output.a.b}}' }] })],
    [one('limit', { items: [], count: 'many' })],
    [one('loop', { items: [], body: { nodes: [{ id: 'a', kind: 'no_kind' }] } })],
    [one('loop', { items: [], body: { nodes: [{ id: 'a', kind: 'template', params: {} }] } })],
    [{ nodes: [], entry: 'a' }],
    [{ nodes: [], edges: {} }],
  ])('refuses %j, as a save does', (definition) => {
    expect(shapeErrors(definition)).not.toEqual([]);
    expect(validate(definition)).toBe(false);
  });

  it.each([
    [one('limit', { items: '{{_output.a.list}}', count: '7' })],
    [one('limit', { items: { $ref: '_output.a.list' }, count: '{{ _webhook_payload.count }}' })],
    [one('switch', { value: '{{_item}}', cases: [{ value: { $ref: '_output.a' }, next: [] }] })],
    [one('switch', { cases: { $ref: '_webhook_payload.cases' } })],
    [one('http_request', { url: 'https://x.example/{{_output.a.id}}', headers: { a: '{{_secret.k}}', b: null } })],
    [one('loop', { items: [], body: { nodes: [{ id: 'a', kind: 'template', params: { template: '{{_item}}' } }] } })],
    [one('no_op', null, { next: null, retry: null, requires: null, name: null, position: { x: 1 } })],
    [{ nodes: [], entry: null, edges: [{ id: 'e', source: 'a', target: 'b' }], viewport: {} }],
  ])('allows %j, as a save does', (definition) => {
    expect(shapeErrors(definition)).toEqual([]);
    expect([validate(definition), validate.errors]).toEqual([true, null]);
  });
});
