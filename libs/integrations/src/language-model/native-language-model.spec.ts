import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { AnthropicDouble } from '../../../../test/support/vendors/anthropic-double.js';
import { GeminiDouble } from '../../../../test/support/vendors/gemini-double.js';
import { ResponsesDouble } from '../../../../test/support/vendors/responses-double.js';
import type { Json, VendorDouble } from '../../../../test/support/vendors/vendor-double.js';
import type { ModelMessage, StepPart, StepRequest } from './language-model.port.js';
import { NativeLanguageModel } from './native-language-model.js';
import type { NativeProtocol } from './native-provider.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = Buffer.from('%PDF-1.4 a page');
const timeouts = { totalSeconds: 10 };
const tools = [
  { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: { at: { type: 'integer' } } } },
];

async function read(model: NativeLanguageModel, request: Partial<StepRequest>) {
  const stream = model.streamStep({ messages: [{ role: 'user', content: 'Look.' }], tools, ...request });
  const parts: StepPart[] = [];
  for await (const part of stream) parts.push(part);
  return { parts, end: stream.end()! };
}

function modelFor(double: VendorDouble, more: Partial<ConstructorParameters<typeof NativeLanguageModel>[0]> = {}) {
  const { value, protocol, base_url: baseUrl, api_key: apiKey } = double.definition() as Record<string, string>;
  return new NativeLanguageModel({
    protocol: protocol as NativeProtocol,
    baseUrl: baseUrl!,
    apiKey: apiKey!,
    model: value!,
    timeouts,
    ...more,
  });
}

describe.each([
  ['anthropic', () => new AnthropicDouble()],
  ['gemini', () => new GeminiDouble()],
  ['openai-responses', () => new ResponsesDouble()],
] as const)('the protocol %s', (_name, make) => {
  const double = make();
  beforeAll(() => double.start());
  afterAll(() => double.stop());

  it('takes pictures and PDF files, and counts what the cache read', async () => {
    double.says = 'A dot.';
    const images = [
      { mediaType: 'image/png', data: PNG },
      { mediaType: 'application/pdf', data: PDF },
    ];
    const messages: ModelMessage[] = [{ role: 'user', content: 'What is it?', images }];
    expect(await modelFor(double).generate({ messages })).toMatchObject({
      text: 'A dot.',
      promptTokens: 100,
      cachedTokens: 80,
    });
    const sent = JSON.stringify(double.taken.at(-1));
    expect(sent).toContain(PNG.toString('base64'));
    expect(sent).toContain(PDF.toString('base64'));
  });

  it('maps faults as the other protocol does', async () => {
    const wrong = modelFor(double, { apiKey: 'wrong' });
    await expect(read(wrong, {})).rejects.toMatchObject({ code: 'model_auth_failed' });
    await expect(read(modelFor(double, { model: 'gemini-9' }), { messages: [] })).rejects.toMatchObject({
      code: expect.stringMatching(/^model_/) as string,
    });
    await expect(wrong.generate({ messages: [{ role: 'user', content: 'x' }] })).rejects.toMatchObject({
      code: 'model_auth_failed',
    });
    const nowhere = modelFor(double, { baseUrl: 'http://127.0.0.1:9/v1' });
    await expect(read(nowhere, {})).rejects.toMatchObject({ code: 'model_unreachable' });
    const stop = new AbortController();
    stop.abort(new Error('the client went'));
    await expect(read(modelFor(double), { signal: stop.signal })).rejects.toThrow('the client went');
  });
});

it('marks for Anthropic what is worth being cached in a loop, and nothing else', async () => {
  const double = new AnthropicDouble();
  await double.start();
  try {
    const { end } = await read(modelFor(double), { system: 'Be kind.' });
    expect(end.usage).toEqual({ promptTokens: 100, completionTokens: 9, cachedTokens: 80, cacheWriteTokens: 10 });
    const { system, messages } = double.taken[0]! as { system: Json[]; messages: { content: Json[] }[] };
    expect(system[0]!.cache_control).toEqual({ type: 'ephemeral' });
    expect(messages[0]!.content[0]!.cache_control).toEqual({ type: 'ephemeral' });
    await modelFor(double).generate({ system: 'Be kind.', messages: [{ role: 'user', content: 'x' }] });
    expect(JSON.stringify(double.taken[1])).not.toContain('cache_control');
  } finally {
    double.stop();
  }
});

function header(name: string, value: string): Buffer {
  const text = 7;
  const begin = Buffer.from([name.length, ...Buffer.from(name), text, value.length >> 8, value.length & 255]);
  return Buffer.concat([begin, Buffer.from(value)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes), 0);
  return sum;
}

/** A frame of Amazon's event stream. */
function frame(type: string, payload: Json): Buffer {
  const headers = Buffer.concat([
    header(':event-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const rest = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([rest, checksum(rest)]);
}

describe('the protocol bedrock', () => {
  const bodies: { system?: Json[]; messages: { role: string; content: Json[] }[] }[] = [];
  let authorization: string | undefined;
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece) => (text += String(piece)));
      request.on('end', () => {
        authorization = request.headers.authorization;
        const body = JSON.parse(text) as (typeof bodies)[number];
        bodies.push(body);
        const thought = body.messages.flatMap(({ content }) => content).find((one) => one.reasoningContent);
        if (
          body.messages.length > 1 &&
          JSON.stringify(thought) !==
            JSON.stringify({ reasoningContent: { reasoningText: { text: 'Hm.', signature: 'signed' } } })
        ) {
          response.writeHead(400).end(JSON.stringify({ message: `Invalid signature: ${JSON.stringify(thought)}` }));
          return;
        }
        if (JSON.stringify(body).includes('cachePoint') && bodies.length === 1) {
          response
            .writeHead(400)
            .end(
              JSON.stringify({ message: 'This model does not support prompt caching: cachePoint is not permitted.' }),
            );
          return;
        }
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        response.end(
          Buffer.concat([
            frame('messageStart', { role: 'assistant' }),
            frame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm.' } } }),
            frame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'signed' } } }),
            frame('contentBlockStop', { contentBlockIndex: 0 }),
            frame('contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 't1', name: 'look' } } }),
            frame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"at":1}' } } }),
            frame('contentBlockStop', { contentBlockIndex: 1 }),
            frame('messageStop', { stopReason: 'tool_use' }),
            frame('metadata', {
              usage: {
                inputTokens: 10,
                outputTokens: 9,
                totalTokens: 19,
                cacheReadInputTokens: 80,
                cacheWriteInputTokens: 10,
              },
              metrics: { latencyMs: 1 },
            }),
          ]),
        );
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => void server.close());

  it('streams, gives its thoughts back, and goes without a cache where there is none', async () => {
    const model = new NativeLanguageModel({
      protocol: 'bedrock',
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'secret',
      accessKeyId: 'AKIDEXAMPLE12345',
      model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
      timeouts,
    });
    const first = await read(model, { system: 'Be kind.', reasoningEffort: 'low' });
    const [thought, call] = first.parts;
    expect(thought).toEqual({ type: 'reasoning', text: 'Hm.' });
    expect(call).toMatchObject({ type: 'tool_call', call: { id: 't1', name: 'look', input: { at: 1 } } });
    expect(first.end).toMatchObject({ reason: 'tool_calls', usage: { completionTokens: 9, cachedTokens: 80 } });
    expect(bodies).toHaveLength(2);
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE12345\//);
    const made = call as Extract<StepPart, { type: 'tool_call' }>;
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: '', toolCalls: [made.call], providerData: first.end.providerData! },
      { role: 'tool', outcomes: [{ callId: 't1', name: 'look', output: 'A dot.', isError: false }] },
    ];
    await read(model, { messages, reasoningEffort: 'low' });
    expect(bodies).toHaveLength(3);
    expect(JSON.stringify(bodies.at(-1))).not.toContain('cachePoint');
  });
});
