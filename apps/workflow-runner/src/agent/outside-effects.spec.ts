import { UserWords } from '@app/agents';
import { SystemClock } from '@app/common';
import type { ToolPorts } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import { CatalogueTools } from './catalogue-tools.js';
import { kindSchema } from './kind-schema.js';

const approvalForKind = (kind: string, input: Record<string, unknown>, words: UserWords) =>
  toolCatalogue.find(kind)!.approvalFor(input, words);
const nobody = new UserWords([]);
const named = new UserWords([
  'Look at https://api.acme.example/orders for me, (https://shop.acme.example/find?q=tea+pots&page=2), docs.acme.example/guide/start.',
]);

describe('what an agent asks before', () => {
  it.each([
    ['a mail', 'send_email', { to: 'B@x.example, a@x.example', subject: 'S' }, 'send_email:a@x.example,b@x.example'],
    [
      'a list of recipients',
      'send_email',
      { to: ['a@x.example'], bcc: 'c@x.example' },
      'send_email:a@x.example,c@x.example',
    ],
    [
      'reading a host that nobody named',
      'http_request',
      { url: 'https://evil.example/?q=secret' },
      'http_request:read https://evil.example',
    ],
    [
      'writing',
      'http_request',
      { method: 'post', url: 'https://api.acme.example/x' },
      'http_request:POST https://api.acme.example',
    ],
    [
      'reading a neighbour of a named host',
      'http_request',
      { url: 'https://acme.example/' },
      'http_request:read https://acme.example',
    ],
    [
      'a host behind a user name',
      'http_request',
      { url: 'https://api.acme.example@evil.example/' },
      'http_request:read https://evil.example',
    ],
    ...[
      ['a query of its own', { url: 'https://api.acme.example/orders?page=2' }],
      ['a query beside the address', { url: 'https://api.acme.example/orders', query: { page: 2 } }],
      ['a path of its own', { url: 'https://api.acme.example/orders/secret' }],
      ['a path that goes up and elsewhere', { url: 'https://api.acme.example/orders/../secret' }],
      ['an encoded path', { url: 'https://api.acme.example/%73ecret' }],
      ['a user name', { url: 'https://secret@api.acme.example/orders' }],
      ['a header', { url: 'https://api.acme.example/orders', headers: { 'x-data': 'secret' } }],
      ['a medium of its own', { url: 'https://api.acme.example/orders', headers: { accept: 'text/secret' } }],
      ['a body', { url: 'https://api.acme.example/orders', body_kind: 'text', body: 'secret' }],
      ['a type of content', { url: 'https://api.acme.example/orders', content_type: 'text/secret' }],
      ['OPTIONS', { url: 'https://api.acme.example/orders', method: 'OPTIONS' }],
    ].map(
      ([what, input]) =>
        [`reading with ${what as string}`, 'http_request', input, 'http_request:read https://api.acme.example'] as [
          string,
          string,
          Record<string, unknown>,
          string,
        ],
    ),
    [
      'another port',
      'http_request',
      { url: 'https://api.acme.example:8443/' },
      'http_request:read https://api.acme.example:8443',
    ],
    ['replacing a file', 'file_writer', { path: 'a.txt', if_exists: 'replace' }, 'file_writer:a.txt'],
  ])('%s', (_, kind, input, key) => {
    expect(approvalForKind(kind, input, named)?.key).toBe(key);
  });

  it.each([
    ['reading an address as it was given', 'http_request', { url: 'https://api.acme.example/orders' }],
    ['the root of a named host', 'http_request', { url: 'https://api.acme.example/' }],
    [
      'an address as it was given, in parts',
      'http_request',
      {
        url: 'https://shop.acme.example/find#part',
        query: { q: 'tea pots', page: 2 },
        headers: { Accept: 'text/html' },
      },
    ],
    ['a folder above it', 'http_request', { url: 'https://docs.acme.example/guide/' }],
    ['writing a new file', 'file_writer', { path: 'a.txt' }],
    ['searching', 'semantic_search', { query: 'https://evil.example' }],
  ])('not before %s', (_, kind, input) => {
    expect(approvalForKind(kind, input, named)).toBeNull();
  });

  it('each kind that has effects, unless it declares that nobody outside meets them', () => {
    const unasked = toolCatalogue
      .list()
      .filter(({ sideEffects }) => sideEffects !== 'none')
      .filter((tool) => tool.approvalFor({}, nobody) === null)
      .map(({ kind }) => kind);
    expect(unasked.toSorted()).toEqual([
      'ask_database',
      'ask_documents',
      'classify',
      'convert_file',
      'extract_fields',
      'extract_table_rows',
      'file_writer',
      'http_request',
      'language_model',
      'ocr',
      'publish_artifact',
      'save_document',
      'summarise_text',
      'translate',
    ]);
    expect(toolCatalogue.find('webhook_out')!.approvalFor({}, nobody)).toEqual({
      key: 'webhook_out:',
      summary: expect.stringMatching(/^Use /) as string,
    });
  });

  it('never grants one recipient what was granted for another', () => {
    const keys = ['a@x.example', 'a@x.example,b@x.example', 'b@x.example'].map(
      (to) => approvalForKind('send_email', { to, subject: '' }, nobody)!.key,
    );
    expect(new Set(keys).size).toBe(3);
  });
});

describe('CatalogueTools', () => {
  const calls: unknown[] = [];
  const ports: ToolPorts = {
    http: { request: () => Promise.reject(new Error('down')) },
    mail: {
      send: (viewer, mail, { idempotencyKey }) => {
        calls.push([viewer.userId, mail.to, idempotencyKey]);
        return Promise.resolve({ recipients: 1 });
      },
    },
    sandbox: { run: () => Promise.reject(new Error('down')) },
  };
  const tools = new CatalogueTools(toolCatalogue, ports, new SystemClock()).list({
    viewer: { userId: 7 },
    workId: 'turn',
  });
  const find = (name: string) => tools.find((tool) => tool.name === name)!;
  const context = { idempotencyKey: 'turn:1.1', signal: new AbortController().signal, cite: () => 1 };

  it('offers what there are ports for, with plain schemas', () => {
    expect(tools.map(({ name }) => name).sort()).toEqual(['code', 'http_request', 'send_email']);
    expect(find('http_request').inputSchema).toMatchObject({
      type: 'object',
      required: ['url'],
      additionalProperties: false,
      properties: { url: { type: 'string' }, max_bytes: { type: 'integer' } },
    });
    expect(Object.keys(find('http_request').inputSchema.properties as object)).not.toContain('token');
    expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema)).length).toBeLessThan(12_000);
    const page = toolCatalogue.find('publish_artifact')!.toCatalogueEntry(ports);
    // Objects within are as closed as the whole: what they do not name would be dropped.
    expect(kindSchema(page)).toHaveProperty('properties.queries.items.additionalProperties', false);
    expect(kindSchema(page)).toHaveProperty(
      'properties.queries.items.properties.params.items.additionalProperties',
      false,
    );
  });

  it('gives what cannot be set no way in', async () => {
    const input = { to: 'a@x.example', subject: 'S', text: 'T', reply_to: 'thief@evil.example' };
    await find('send_email').run(input, context);
    expect(calls).toEqual([[7, ['a@x.example'], 'turn:1.1']]);
    expect(find('http_request').effectsOf({ url: 'https://x.example', method: 'POST', safe_to_repeat: true })).toBe(
      'external',
    );
  });

  it('tells mistakes from failures, and keeps the inside to itself', async () => {
    await expect(find('send_email').run({ to: 'nobody', subject: '' }, context)).rejects.toMatchObject({
      code: 'invalid_params',
      isMistake: true,
    });
    await expect(find('code').run({ code: 'return 1;' }, context)).rejects.toMatchObject({
      code: 'tool_error',
      message: 'The tool failed unexpectedly.',
      isMistake: false,
    });
  });
});
