import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { LLMock } from '@copilotkit/aimock';
import { BadGatewayError, GatewayTimeoutError, UnavailableError } from '@app/common';
import type { AnswerStream } from './language-model.port.js';
import { NoLanguageModel } from './no-language-model.js';
import { readJsonAnswer } from './json-answer.js';
import { OpenAiLanguageModel } from './openai-language-model.js';
import { until } from '../../../../test/support/until.js';

const ask = (content: string) => ({ messages: [{ role: 'user' as const, content }] });

async function read(stream: AnswerStream): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

describe('OpenAiLanguageModel', () => {
  const mock = new LLMock({ port: 0 });
  let model: OpenAiLanguageModel;
  beforeAll(async () => {
    await mock.start();
    mock.onMessage('hello', { content: 'Hi there, friend.' }, { chunkSize: 3 });
    mock.onMessage('city', { content: '{"city":"Amman"}' });
    mock.onMessage('cut', { content: 'abcdefghij' }, { chunkSize: 2, truncateAfterChunks: 2 });
    model = new OpenAiLanguageModel({
      baseUrl: `${mock.url}/v1`,
      apiKey: 'k',
      model: 'm',
      timeouts: { totalSeconds: 5 },
    });
  });
  afterAll(() => mock.stop());

  it('streams pieces and counts tokens', async () => {
    const stream = model.streamAnswer({ system: 'Be kind.', ...ask('hello') });
    expect(await read(stream)).toBe('Hi there, friend.');
    expect(stream.usage()).toEqual({
      promptTokens: expect.any(Number) as number,
      completionTokens: expect.any(Number) as number,
    });
    const sent = mock.getLastRequest()!.body as unknown as { messages: unknown[]; stream: boolean };
    expect(sent.stream).toBe(true);
    expect(sent.messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'hello' },
    ]);
  });

  it('generates text, and objects of a schema', async () => {
    expect(await model.generate(ask('hello'))).toMatchObject({ text: 'Hi there, friend.', model: 'm' });
    const outputSchema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    expect(await model.generate({ ...ask('city'), outputSchema })).toMatchObject({ object: { city: 'Amman' } });
    // Asked once more with the schema in words, which the script answers.
    expect(await model.generate({ ...ask('hello'), outputSchema })).toMatchObject({ object: { city: 'Amman' } });
    const never = { ...outputSchema, properties: { town: { type: 'string' } }, required: ['town'] };
    const refused = model.generate({ ...ask('hello'), outputSchema: never });
    await expect(refused).rejects.toThrow('The model did not answer in the form that was asked for.');
  });

  it.each([
    ['lists between words', 'Here they are: [{"n":1},{"n":2}], as asked.', [{ n: 1 }, { n: 2 }]],
    ['a list of one object', 'See: [{"n":1}].', [{ n: 1 }]],
    ['an object behind the number of a source', 'By [1]: {"n":1}', { n: 1 }],
    ['lists of plain values', 'They are ["a", "b"].', ['a', 'b']],
    ['nothing', 'There are none.', undefined],
  ])('reads %s', (_name, text, value) => {
    expect(readJsonAnswer(text)).toEqual(value);
  });

  it('takes a long number for a number, keeps its digits, and tells what fits no schema', async () => {
    mock.onMessage('long', { content: '{"n":12345678901234567890}' });
    mock.onMessage('five', { content: '{"n":"five"}' });
    mock.onMessage(/integer/, { content: '{"n":"five"}' });
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const long = await model.generate({ ...ask('long'), outputSchema });
    expect(long).toMatchObject({ object: { n: '12345678901234567890' }, reason: 'stop' });
    expect(long).not.toHaveProperty('misfit');
    expect(await model.generate({ ...ask('five'), outputSchema })).toMatchObject({ misfit: '"n" must be integer' });
  });

  it('says no word of what a refusing endpoint says', async () => {
    mock.nextRequestError(401, { message: 'secret words' });
    const refused = read(model.streamAnswer(ask('hello')));
    await expect(refused).rejects.toMatchObject({
      code: 'model_auth_failed',
      message: expect.not.stringContaining('secret words') as string,
    });
  });

  it('throws when the answer is cut off', async () => {
    await expect(read(model.streamAnswer(ask('cut')))).rejects.toThrow(BadGatewayError);
  });
});

const event = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

it('reads past a mark of the byte order, and events that say nothing', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`\ufeff${event({ content: 'Am\ufeff' }, null)}data:\n\ndata: \n\nevent: ping\ndata\n\n`);
    response.end(`${event({ content: 'man' }, 'stop')}data: [DONE]\n\n`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const model = new OpenAiLanguageModel({ baseUrl, model: 'm', timeouts: { totalSeconds: 5 } });
  try {
    expect(await read(model.streamAnswer(ask('x')))).toBe('Am\ufeffman');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

describe('an endpoint that never ends', () => {
  let server: Server;
  let asked: Promise<unknown>;
  let baseUrl: string;
  /** Whether or not anything came before it was given up. */
  const closed = () => until(async () => (await promisify(server.getConnections.bind(server))()) === 0);
  beforeEach(async () => {
    server = createServer();
    asked = once(server, 'request');
    server.on('request', (_, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const delta = {
        id: '1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { role: 'assistant', content: 'x' } }],
      };
      response.write(`data: ${JSON.stringify(delta)}\n\n`);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is given up after the timeout', async () => {
    const model = new OpenAiLanguageModel({ baseUrl, model: 'm', timeouts: { totalSeconds: 0.3 } });
    await expect(read(model.streamAnswer(ask('x')))).rejects.toThrow(GatewayTimeoutError);
    await closed();
  });

  it('is hung up on when the reader stops', async () => {
    const model = new OpenAiLanguageModel({ baseUrl, model: 'm', timeouts: { totalSeconds: 30 } });
    for await (const piece of model.streamAnswer(ask('x'))) {
      expect(piece).toBe('x');
      break;
    }
    await closed();
  });

  it('is hung up on when the caller aborts, with the caller’s reason', async () => {
    const model = new OpenAiLanguageModel({ baseUrl, model: 'm', timeouts: { totalSeconds: 30 } });
    const stop = new AbortController();
    const reading = read(model.streamAnswer({ ...ask('x'), signal: stop.signal }));
    void asked.then(() => stop.abort(new Error('the client went')));
    await expect(reading).rejects.toThrow('the client went');
    await closed();
  });
});

it.each([
  ['http://localhost:1/v1', true],
  ['http://10.1.2.3/v1', true],
  ['http://[::1]:9/v1', true],
  ['http://ollama:11434/v1', true],
  ['https://api.openai.com/v1', false],
  ['http://8.8.8.8/v1', false],
])('knows whether %s is one’s own: %s', (baseUrl, onPremises) => {
  expect(new OpenAiLanguageModel({ baseUrl, model: 'm', timeouts: { totalSeconds: 1 } }).descriptor).toMatchObject({
    onPremises,
  });
});

it('says that no model is configured', async () => {
  const none = new NoLanguageModel();
  expect(none).toMatchObject({
    available: false,
    descriptor: { value: 'quoting', capability: 'chat', onPremises: true },
  });
  await expect(none.generate()).rejects.toThrow(UnavailableError);
});
