import * as fc from 'fast-check';
import type { Description, Operation, Parameter } from './description.js';
import { forms, type Form } from './multipart.js';
import { type Mutation, mutation } from './mutations.js';
import { asText, hostileValue, idText, validValue, wireText } from './values.js';

export const CALLERS = ['user', 'admin', 'stranger', 'token', 'garbled'] as const;
export type Caller = (typeof CALLERS)[number];

export type Body =
  /** The request of the route matrix, changed. */
  | { kind: 'seed'; mutations: Mutation[] }
  | { kind: 'json'; value: unknown; mutations: Mutation[] }
  | { kind: 'text'; text: string; type: string }
  | { kind: 'form'; fields: [string, string][] }
  | { kind: 'multipart'; form: Form }
  | { kind: 'none' };

/** A request as it is generated; `build` makes bytes of it, with the resources of that moment. */
export interface Attack {
  caller: Caller;
  /** By parameter; null is the caller's own resource of the right kind. Others are written as they are. */
  path: Record<string, string | null>;
  /** Whether the query of the route matrix stands before these. */
  seedQuery: boolean;
  query: string[];
  headers: Record<string, string>;
  body: Body;
}

const encoded = (text: string) =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll('%40', '@');

const PATH_ODDITIES = [
  '%',
  '%f',
  '%ff',
  '%00',
  'a%00b',
  '%0a',
  '%2e',
  '%2e%2e',
  '..',
  '%2F',
  '%2f..%2f',
  '%5c',
  '%25',
  '%252e',
  '%C0%AF',
  '%ED%A0%80',
  '%E2%80%AE',
  '+',
  '~',
  ';x=1',
  'a;b',
  '[]',
  '{}',
  '0',
  '-1',
  '1.5',
  '1e3',
  '01',
  '+1',
  '0x1',
  '2147483648',
  '99999999999999999999',
  '00000000-0000-0000-0000-000000000000',
  '__proto__',
  'constructor',
  'x'.repeat(3000),
];

const pathText: fc.Arbitrary<string | null> = fc.oneof(
  { weight: 10, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: idText },
  { weight: 3, arbitrary: fc.constantFrom(...PATH_ODDITIES) },
  { weight: 1, arbitrary: wireText.map((text) => encoded(text).slice(0, 4000).replace(/%.?$/, '')) },
);

/** One parameter, as a well-behaved client writes it, or otherwise. */
function queryPart({ name, schema = {} }: Parameter, schemas: Description['schemas']): fc.Arbitrary<string> {
  // What asks for patience is not a hang.
  const waits = /^(timeout|wait_seconds)$/.test(name);
  const valid = waits
    ? fc.constantFrom(name === 'timeout' ? '5' : '0', '', 'x', '-1', '1e9')
    : validValue(schema, schemas).map((value) => (Array.isArray(value) ? value.map(asText).join(',') : asText(value)));
  const text = waits ? valid : fc.oneof({ weight: 3, arbitrary: valid }, { weight: 2, arbitrary: wireText });
  return fc
    .tuple(
      text.map((value) => encoded(value).slice(0, 6000).replace(/%.?$/, '')),
      fc.constantFrom('=', '=', '=', '=', '[]=', '[a]=', '[__proto__]=', '[0][x]=', '%5B%5D=', '.x=', ''),
      fc.constantFrom(1, 1, 1, 1, 2, 30),
    )
    .map(([value, sign, times]) => Array.from({ length: times }, () => name + (sign && sign + value)).join('&'));
}

const STRANGE_QUERIES = [
  '&&&',
  '=',
  '=x',
  '?',
  '%',
  '%ff=%ff',
  '%00=%00',
  '__proto__[isStaff]=1',
  'constructor.prototype.x=1',
  'toString=1',
  'page=%00',
  'page[]=1&page[]=2',
  'page=9007199254740993&page_size=100',
  'page=1e3',
  'page=2147483647&page_size=100',
  'page_size=0',
  'format=json',
  '_method=DELETE',
  `q=${'x'.repeat(8000)}`,
  Array.from({ length: 1200 }, (_, at) => `k${at}=v`).join('&'),
];

const strangeHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'idempotency-key': 'k' },
      { 'idempotency-key': '' },
      { 'idempotency-key': 'x'.repeat(256) },
      { 'idempotency-key': 'a b' },
      { 'idempotency-key': '\u00ff' },
      { 'x-request-id': 'x'.repeat(200) },
      { accept: 'text/event-stream; framing=sse' },
      { accept: 'application/xml' },
      { accept: '*/*;q=x' },
      { 'accept-language': `${'de,'.repeat(500)}en` },
      { 'accept-encoding': 'gzip, br, x' },
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br' },
      { 'content-encoding': 'x' },
      { range: 'bytes=0-' },
      { range: 'bytes=5-2' },
      { range: 'bytes=-0,0-0,9999999999999999999-' },
      { 'if-none-match': '*' },
      { 'if-match': '"x"' },
      { 'if-modified-since': 'yesterday' },
      { 'last-event-id': '-1' },
      { 'last-event-id': '99999999999999999999' },
      { 'x-http-method-override': 'DELETE' },
      { 'x-forwarded-for': '1.2.3.4, x, ::1, 999.1.1.1' },
      { origin: 'null' },
      { referer: 'x' },
      { cookie: '__proto__=1; refresh_token=%; a="' },
      { cookie: `refresh_token=${'x'.repeat(4000)}` },
      { 'user-agent': '\u00ff'.repeat(2000) },
      { 'tus-resumable': '1.0.0' },
      { 'tus-resumable': '9.9.9' },
      { 'tus-resumable': '1.0.0', 'upload-length': '-1' },
      { 'tus-resumable': '1.0.0', 'upload-length': '9'.repeat(30), 'upload-metadata': 'filename %%%' },
      { 'tus-resumable': '1.0.0', 'upload-length': '4', 'upload-metadata': 'filename YS50eHQ=, __proto__ YQ==' },
      { 'tus-resumable': '1.0.0', 'upload-defer-length': '1', 'upload-offset': 'x' },
      { 'tus-resumable': '1.0.0', 'upload-offset': '99999999999999999999' },
    ),
  },
);

const BROKEN_JSON = [
  '',
  '{',
  '[1,',
  '"',
  '{"a":1}}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":Infinity}',
  'nul',
  '\u0000',
  '\ufeff{}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
  '{"a":"\u0001"}',
  'null',
  'true',
  '0',
  '"x"',
  '[]',
  '{}',
  '\u00ff\u00fe{\u0000',
  '['.repeat(20_000),
];

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-7',
  'application/json; charset=utf-16',
  'application/json;;;',
  'application/scim+json',
  'application/offset+octet-stream',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=x',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=x',
  `multipart/form-data; boundary=${'x'.repeat(100)}`,
  'multipart/mixed; boundary=x',
  'text/plain',
  'application/xml',
  'application/octet-stream',
  '*/*',
  '/',
  '',
  '__proto__',
];

/** Which fields a form may have: those of the JSON body, and those that uploads read. */
function fieldsOf({ takes }: Operation, schemas: Description['schemas']): string[] {
  const schema = Object.values(takes)[0]?.schema ?? {};
  const named = schema.$ref ? schemas[schema.$ref.split('/').at(-1)!] : schema;
  const fields = Object.keys(named?.properties ?? {});
  return fields.length > 0 ? fields : ['path', 'files', 'folder', 'file', 'name', 'tags'];
}

function bodies(operation: Operation, schemas: Description['schemas']): fc.Arbitrary<Body> {
  const takes = Object.entries(operation.takes);
  const isRead = operation.method === 'GET' || operation.method === 'HEAD';
  const text = fc.record({
    kind: fc.constant('text' as const),
    text: fc.oneof(
      fc.constantFrom(...BROKEN_JSON),
      hostileValue.map((value) => JSON.stringify(value)),
    ),
    type: fc.oneof(
      { weight: 2, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
    ),
  });
  const none = fc.constant({ kind: 'none' } as const);
  if (isRead || takes.length === 0)
    return fc.oneof({ weight: isRead ? 15 : 6, arbitrary: none }, { weight: 1, arbitrary: text });
  const fields = fieldsOf(operation, schemas);
  const multipart = fc.record({ kind: fc.constant('multipart' as const), form: forms(fields) });
  if (takes[0]![0].startsWith('multipart'))
    return fc.oneof(
      { weight: 8, arbitrary: multipart },
      { weight: 1, arbitrary: text },
      { weight: 1, arbitrary: none },
    );
  const some = fc.array(mutation, { minLength: 1, maxLength: 3, size: 'max' });
  const few = fc.oneof({ weight: 2, arbitrary: fc.constant<Mutation[]>([]) }, { weight: 3, arbitrary: some });
  const value = validValue(takes[0]![1].schema ?? {}, schemas);
  return fc.oneof(
    { weight: 7, arbitrary: fc.record({ kind: fc.constant('seed' as const), mutations: some }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('json' as const), value, mutations: few }) },
    { weight: 3, arbitrary: text },
    { weight: 1, arbitrary: multipart },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('form' as const),
        fields: fc.array(
          fc.tuple(
            fc
              .tuple(fc.constantFrom(...fields), fc.constantFrom('', '', '[]', '[a]', '[__proto__]'))
              .map((both) => both.join('')),
            wireText,
          ),
          { maxLength: 6 },
        ),
      }),
    },
    { weight: 1, arbitrary: none },
  );
}

/** Headers that the route itself reads. */
function declaredHeaders({ parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const names = parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase());
  const text = fc.oneof(
    idText,
    fc.constantFrom('', 'x', '\u00ff', 'sha256=', `sha256=${'0'.repeat(64)}`, 'v1,AAAA', 'x'.repeat(5000)),
  );
  return names.length === 0
    ? fc.constant({})
    : fc.dictionary(fc.constantFrom(...names), text, { maxKeys: names.length });
}

export function attacks(operation: Operation, { schemas }: Description): fc.Arbitrary<Attack> {
  const named = (place: Parameter['in']) => operation.parameters.filter((one) => one.in === place);
  const declared = named('query').map((one) => queryPart(one, schemas));
  const strange = fc.constantFrom(...STRANGE_QUERIES);
  const query =
    declared.length === 0
      ? fc.oneof({ weight: 6, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: fc.tuple(strange) })
      : fc.oneof(
          { weight: 5, arbitrary: fc.array(fc.oneof(...declared), { maxLength: 4, size: 'max' }) },
          { weight: 1, arbitrary: fc.tuple(strange) },
        );
  return fc.record({
    caller: fc.oneof(
      { weight: 14, arbitrary: fc.constant<Caller>('user') },
      { weight: 2, arbitrary: fc.constant<Caller>('admin') },
      { weight: 2, arbitrary: fc.constant<Caller>('token') },
      { weight: 1, arbitrary: fc.constant<Caller>('stranger') },
      { weight: 1, arbitrary: fc.constant<Caller>('garbled') },
    ),
    path: fc.record(Object.fromEntries(named('path').map(({ name }) => [name, pathText]))),
    seedQuery: fc.boolean(),
    query,
    headers: fc.tuple(strangeHeaders, declaredHeaders(operation)).map(([one, other]) => ({ ...one, ...other })),
    body: bodies(operation, schemas),
  });
}

/** The request of the route matrix: what a well-behaved client sends. */
export const politeAttack: Attack = {
  caller: 'user',
  path: {},
  seedQuery: true,
  query: [],
  headers: {},
  body: { kind: 'seed', mutations: [] },
};
