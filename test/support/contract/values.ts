import * as fc from 'fast-check';
import { HOSTILE_VALUES } from '../hostile-values.js';
import { type Description, nameOf, type Schema } from './description.js';

/**
 * Marks that are filled in when a request is sent: `own` and `foreign` resources by name, and `raw` JSON text, for
 * what `JSON.stringify` does not write.
 */
export const mark = (kind: 'own' | 'foreign' | 'raw', name: string) => `@${kind}.${name}@`;

/** Names of resources that `makeResources` gives. */
const RESOURCES =
  'uid username path workflow nodeId secret apiToken export source toolServer chatSession turn mid approval memory link table sheet batchId passkey session chart accessRequest requestId collaborator transferId sid tagId revision version outputId'.split(
    ' ',
  );

const DATES = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '1582-10-10T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-12-31T23:59:60Z',
  '2026-06-01T00:00:00+14:00',
  '2026-06-01T00:00:00-99:99',
  '2026-06-01T24:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '9999-12-31T23:59:59-14:00',
  '+275760-09-13T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-20T00:00:00Z',
  '2026-06-01',
  '20260601',
  '275760-09-13T00:00:00Z',
];

const TEXTS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'undefined',
  'null',
  'Infinity',
  '-0',
  '0x10',
  '१२',
  '\u200b',
  '\ufeff',
  '\u2028',
  'İ',
  'ß'.repeat(300),
  '\ud83d\ude00'.repeat(200),
  '\udc00\ud800',
  'a\r\nSet-Cookie: x=1',
  '<script>alert(1)</script>',
  '${7*7}',
  '{{7*7}}',
  '%s%n',
  '\\',
  '"',
  "'",
  '$1',
  ':x',
  '(',
  '[a-',
  '%',
  '_',
  '*',
  '//',
  '/',
  '.',
  '..',
  'a/../b',
  'a\\b',
  'C:\\con',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(70_000),
  'http://127.0.0.1:1/',
  'http://169.254.169.254/latest/meta-data/',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://[::1',
  'https://user:password@mail.example/',
  'a@b.example,c@d.example',
  '* * * * *',
  '@every 1s',
  '0 0 30 2 *',
  '*/0 * * * *',
  'Europe/Nowhere',
  'Etc/GMT+99',
];

const NUMBERS = [
  -0,
  0.1,
  -1e308,
  2_147_483_647,
  2_147_483_648,
  -2_147_483_649,
  4_294_967_296,
  2 ** 63,
  -(2 ** 63),
  5e-324,
];

const RAW = [
  '1e400',
  '-1e400',
  '1e-400',
  '123456789012345678901234567890',
  '0.1e1',
  '{"a":1,"a":2}',
  '{"__proto__":{"isStaff":true}}',
  '{"constructor":{"prototype":{"isStaff":true}}}',
  '[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]',
  `${'['.repeat(99)}${']'.repeat(99)}`,
  `${'{"a":'.repeat(98)}1${'}'.repeat(98)}`,
  `${'['.repeat(3000)}${']'.repeat(3000)}`,
  `[${'1,'.repeat(1200)}1]`,
];

/** A text that names something: of the caller, of another tenant, of another kind. */
export const idText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...RESOURCES.map((name) => mark('own', name))) },
  { weight: 3, arbitrary: fc.constantFrom(...RESOURCES.map((name) => mark('foreign', name))) },
  { weight: 1, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.integer().map(String) },
);

const hostileText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...DATES) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
);

/** Text as it goes into a path, a query or a form; lone surrogates have no place there. */
export const wireText = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: idText },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_VALUES).map((value) => asText(value)) },
  { weight: 1, arbitrary: fc.constantFrom(...NUMBERS).map(String) },
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE_VALUES) },
  { weight: 5, arbitrary: hostileText },
  { weight: 3, arbitrary: idText },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom(...RAW.map((text) => mark('raw', text))) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(idText, { maxLength: 4 }) },
);

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textFor({ format, pattern, minLength = 1, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.oneof(idText, fc.uuid());
  if (format === 'email') return fc.constantFrom('nobody@mail.example', 'İ@mail.example', 'a+b@xn--p1ai.example');
  if (format === 'date-time')
    return fc.oneof(
      fc.constantFrom(...DATES),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    );
  if (pattern) return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: Math.min(maxLength, 60) });
  const room = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) };
  return fc.oneof(
    { weight: 3, arbitrary: idText },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', ...room }) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(Math.min(maxLength, 70_000))) },
  );
}

/** What the schema takes, as far as the document says it. */
export function validValue(schema: Schema, schemas: Description['schemas'], depth = 0): fc.Arbitrary<unknown> {
  const inner = (one: Schema) => validValue(one, schemas, depth + 1);
  if (schema.nullable)
    return fc.oneof(
      { weight: 4, arbitrary: inner({ ...schema, nullable: false }) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  if (schema.$ref) return inner(schemas[nameOf(schema.$ref)] ?? {});
  if (schema.allOf?.length) return inner(schema.allOf[0]!);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.length) return fc.oneof(...choices.map(inner));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const { minimum, maximum } = schema;
  switch (schema.type) {
    case 'string':
      return textFor(schema);
    case 'integer':
      return fc.integer({ min: minimum ?? -5, max: Math.max(minimum ?? -5, Math.min(maximum ?? 500, 2_147_483_647)) });
    case 'number':
      return fc.double({ min: minimum ?? -1e9, max: maximum ?? 1e9, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3)),
      });
    default:
      return schema.properties && depth < 6
        ? objectFor(schema, inner)
        : fc.dictionary(fc.string(), hostileValue, { maxKeys: 3 });
  }
}

function objectFor(
  { properties = {}, required = [] }: Schema,
  inner: (one: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)]));
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
}
