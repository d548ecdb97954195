import { BadGatewayError, DomainError, GatewayTimeoutError, InvalidRequestError } from '@app/common';
import {
  faultOf,
  OpenAiLanguageModel,
  type OpenAiModelOptions,
  type StepEnd,
  type StepPart,
  type StepRequest,
} from '@app/integrations';
import * as hostile from '../support/hostile-model.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';
import { until } from '../support/until.js';

const KEY = 'sk-secret-1234';
const PROMPT = 'the secret plan of the board';
const tools = [
  { name: 'add', description: 'Adds.', inputSchema: { type: 'object', properties: { a: { type: 'number' } } } },
];

const textOf = (parts: StepPart[]) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

const wholeMessage = (message: object) =>
  hostile.json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }] });
const oddCall = (name: unknown) => ({ id: 'a', function: { name, arguments: { a: 1 } } });

/** One try at an endpoint that behaves in every bad way: what callers get, and that nothing hangs or leaks. */
describe('an endpoint', () => {
  const server = new hostile.HostileModel();
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  const model = (more: Partial<OpenAiModelOptions> = {}) =>
    new OpenAiLanguageModel({
      baseUrl: server.baseUrl,
      apiKey: KEY,
      model: 'm',
      timeouts: { firstTokenSeconds: 1, silenceSeconds: 0.6, totalSeconds: 3 },
      ...more,
    });
  const request = (more: Partial<StepRequest> = {}): StepRequest => ({
    messages: [{ role: 'user', content: PROMPT }],
    tools,
    ...more,
  });

  async function read(more: Partial<StepRequest> = {}, asked = model()) {
    const parts: StepPart[] = [];
    const stream = asked.streamStep(request(more));
    try {
      for await (const part of stream) parts.push(part);
    } catch (error) {
      return { parts, text: textOf(parts), error, end: null as StepEnd | null };
    }
    return { parts, text: textOf(parts), error: null, end: stream.end() };
  }

  /** With everything that a log could show of it. */
  function expectNoLeak(error: unknown): void {
    const seen: string[] = [];
    for (let at = error; at instanceof Error; at = at.cause)
      seen.push(at.message, String(at.stack), JSON.stringify(at), JSON.stringify(Object.entries(at)));
    expect(seen.join()).not.toContain(KEY);
    expect(seen.join()).not.toContain(PROMPT);
    expect(seen.join()).not.toContain('Bearer');
  }

  it('is heard to the end, with or without a last word', async () => {
    for (const done of [true, false]) {
      server.next(hostile.answers('Well and good.', { done }));
      const heard = await read({}, model({ timeouts: { totalSeconds: 10 } }));
      expect(heard.error).toBeNull();
      expect(heard).toMatchObject({
        text: 'Well and good.',
        end: { reason: 'stop', model: 'm', usage: { promptTokens: 1000, completionTokens: 500 } },
      });
    }
    expect(server.calls[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('that leaves the connection open after its last word has ended all the same', async () => {
    server.next((response) => {
      hostile.begin(response);
      response.write(hostile.piece({ content: 'I say data: [DONE] ' }));
      response.write(hostile.piece({ content: 'twice' }) + hostile.piece({}, 'stop') + hostile.usageEvent());
      response.write('data: [DO');
      response.write('NE]\n\n');
    });
    const patient = model({ timeouts: { totalSeconds: 10 } });
    expect(await read({}, patient)).toMatchObject({ text: 'I say data: [DONE] twice', end: { reason: 'stop' } });
    await server.calls[0]!.closed;
  });

  it.each<[string, hostile.Behaviour, string]>([
    ['stalls before its first byte', hostile.stallsBeforeFirstByte, ''],
    ['stalls after its headers', hostile.stallsAfterHeaders, ''],
    ['stalls in the middle', hostile.stallsAfter('Once'), 'Once'],
    ['drips without an end', hostile.drips(100), 'drip '],
    ['sends nothing but empty pieces', hostile.drips(50, hostile.piece({ content: '' })), ''],
    ['sends nothing but comments', hostile.drips(50, ': still there\n\n'), ''],
  ])('that %s is given up in time, and hung up on', async (_name, behaviour, text) => {
    server.next(behaviour);
    const took = stopwatch();
    const { error, text: read_ } = await read();
    expect(error).toBeInstanceOf(GatewayTimeoutError);
    expect(error).toMatchObject({ code: 'model_timeout' });
    expect(took()).toBeLessThan(10_000);
    expect(read_.startsWith(text)).toBe(true);
    await server.calls[0]!.closed;
    expectNoLeak(error);
  });

  inAll('may take longer in all while its answer flows, but not without end', async () => {
    const timeouts = { firstTokenSeconds: 30, silenceSeconds: 30, totalSeconds: 3 };
    const words = 'one two three four five six seven eight';
    server.next(hostile.answers(words, { delayMs: 600 }));
    expect(await read({}, model({ timeouts: { ...timeouts, answerSeconds: 60 } }))).toMatchObject({
      text: words,
      error: null,
    });
    server.next(hostile.answers(words, { delayMs: 600 }));
    const { error, text } = await read({}, model({ timeouts: { ...timeouts, answerSeconds: 3.5 } }));
    expect(error).toMatchObject({ code: 'model_timeout' });
    expect(text).toMatch(/^one /);
  });

  it('is not blamed for a slow reader', async () => {
    server.next(hostile.answers('one two three four', { delayMs: 5 }));
    const stream = model({ timeouts: { totalSeconds: 10, silenceSeconds: 0.1 } }).streamStep(request());
    let text = '';
    for await (const part of stream) {
      text += part.type === 'text' ? part.text : '';
      await hostile.pause(200);
    }
    expect(text).toBe('one two three four');
  });

  it('may answer with the whole message although it was asked for a stream', async () => {
    const message = { role: 'assistant', content: 'Once.', tool_calls: [] };
    const usage = { prompt_tokens: 5, completion_tokens: 2 };
    server.next(hostile.json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
    const result = await read();
    expect(result).toMatchObject({ text: 'Once.', error: null });
    expect(result.end).toMatchObject({ reason: 'stop', usage: { promptTokens: 5, completionTokens: 2 } });
    server.next(hostile.json(200, { error: { message: PROMPT, code: 429 } }));
    const limited = await read();
    expect(limited.error).toMatchObject({ code: 'model_rate_limited' });
    expectNoLeak(limited.error);
  });

  const broken: [string, hostile.Behaviour, string][] = [
    ['cuts the connection before a word', hostile.cutsAfter(''), ''],
    ['cuts the connection in the middle', hostile.cutsAfter('Once'), 'Once'],
    ['ends without an end', hostile.writes(hostile.piece({ content: 'Once' })), 'Once'],
    ['ends with a last word but no end', hostile.writes(hostile.piece({ content: 'A' }), hostile.event('[DONE]')), 'A'],
    ['says nothing', hostile.writes(), ''],
    ['sends events that are no JSON', hostile.writes(hostile.piece({ content: 'A' }), 'data: {"choices"\n\n'), 'A'],
    ['sends JSON of another kind', hostile.writes(hostile.event({ answer: 42 })), ''],
    ['sends null', hostile.writes(hostile.event('null')), ''],
    ['sends binary', hostile.writes('\u0000\u0001\ufffd'.repeat(1000)), ''],
    ['calls with a text', hostile.writes(hostile.piece({ tool_calls: 'add' })), ''],
    ['answers with a page', hostile.page(), ''],
    ['answers with JSON in place of a stream', hostile.json(200, { choices: [] }), ''],
    ['redirects', hostile.json(307, {}, { location: 'http://127.0.0.1:9/elsewhere' }), ''],
    ['is limited', hostile.refuses(429, 'rate_limit_exceeded'), ''],
    ['fails', hostile.refuses(500), ''],
    ['fails with a page', (response) => void response.writeHead(502).end('<html>Bad gateway'), ''],
    ['wants another key', hostile.refuses(401, 'invalid_api_key'), ''],
    ['does not know the model', hostile.refuses(404, 'model_not_found'), ''],
    ['refuses the request', hostile.refuses(400), ''],
    ['tells of an error in its stream', hostile.writes(hostile.event({ error: { message: PROMPT, code: KEY } })), ''],
  ];
  const CODES: Record<string, string> = {
    'is limited': 'model_rate_limited',
    'wants another key': 'model_auth_failed',
    'does not know the model': 'model_not_found',
  };
  it.each(broken)('that %s is an error without a word of it', async (name, behaviour, text) => {
    server.next(behaviour);
    const result = await read();
    expect(result.error).toBeInstanceOf(BadGatewayError);
    expect(result.error).toMatchObject({ code: CODES[name] ?? 'model_error' });
    expectNoLeak(result.error);
    expect(faultOf(result.error)).not.toBeNull();
    expect(result.text).toBe(text);
    expect(result.end).toBeNull();
    expectNoLeak(result.error);
  });

  it.each<[string, hostile.Behaviour]>([
    ['an answer', hostile.floods(hostile.piece({ content: 'x'.repeat(30_000) }))],
    [
      'the arguments of a call',
      hostile.floods(
        hostile.piece({
          tool_calls: [{ index: 0, id: 'a', function: { name: 'add', arguments: 'x'.repeat(30_000) } }],
        }),
      ),
    ],
    ['an event', hostile.floods('x'.repeat(30_000))],
    [
      'an error',
      async (response) => {
        response.writeHead(500, { 'content-type': 'application/json' });
        while (!response.destroyed) {
          response.write('x'.repeat(30_000));
          await hostile.pause(1);
        }
      },
    ],
  ])('that sends %s without an end is cut off', async (_name, behaviour) => {
    server.next(behaviour);
    const before = process.memoryUsage().rss;
    const { error } = await read({}, model({ timeouts: { totalSeconds: 15 } }));
    expect(error).toBeInstanceOf(BadGatewayError);
    await server.calls[0]!.closed;
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    expectNoLeak(error);
  });

  it.each<[string, hostile.Behaviour]>([
    ['by code', hostile.refuses(400, 'context_length_exceeded')],
    [
      'in words',
      (response, call) =>
        hostile.json(400, { error: { message: "This model's maximum context length is 4096 tokens." } })(
          response,
          call,
        ),
    ],
    ['in the stream', hostile.writes(hostile.event({ error: { message: 'The prompt is too long: 9000 tokens' } }))],
  ])('that finds the prompt too long (%s) is told apart', async (_name, behaviour) => {
    server.next(behaviour);
    const { error } = await read();
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ code: 'context_too_long' });
    expectNoLeak(error);
  });

  it('gives calls of tools, whole, with whatever is wrong with them', async () => {
    server.next(
      hostile.calls(
        { index: 0, id: 'call_0', type: 'function', function: { name: 'add', arguments: '' } },
        { index: 0, function: { arguments: '{"a"' } },
        { index: 1, id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a": tru' } },
        { index: 0, function: { arguments: ': 1}' } },
        { index: 2, id: 'call_2', type: 'function', function: { name: 'subtract', arguments: '{"a": 1}' } },
        { index: 3, id: 'call_3', type: 'function', function: { name: 'add', arguments: '[1]' } },
        { index: 4, id: '', type: 'function', function: { name: 'add', arguments: '' } },
        {
          index: 5,
          id: 'call_0',
          type: 'function',
          function: { name: 'add', arguments: '{"__proto__": {"x": 1}, "a": 5}' },
        },
      ),
    );
    const { parts, end } = await read({
      messages: [
        { role: 'user', content: PROMPT },
        { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'add', input: { a: 1 } }] },
        { role: 'tool', outcomes: [{ callId: 'call_1', name: 'add', output: '1', isError: false }] },
      ],
    });
    expect(end).toMatchObject({ reason: 'tool_calls' });
    const seen = parts.flatMap((part) => (part.type === 'tool_call' ? [part.call] : []));
    expect(seen.map(({ name, input, problem }) => [name, input, problem])).toEqual([
      ['add', { a: 1 }, undefined],
      ['add', {}, 'The arguments are not a JSON object.'],
      ['subtract', { a: 1 }, 'There is no tool of this name.'],
      ['add', {}, 'The arguments are not a JSON object.'],
      ['add', {}, undefined],
      ['add', { a: 5 }, undefined],
    ]);
    const ids = seen.map(({ id }) => id);
    expect(ids[0]).toBe('call_0');
    expect(new Set([...ids, 'call_1', '']).size).toBe(ids.length + 2);
    expect(Object.getPrototypeOf(seen[5]!.input)).toBe(Object.prototype);
  });

  it('may call without a name, by a number, as before there could be several calls, and in its text', async () => {
    for (const [behaviour, wanted] of [
      [hostile.calls({ index: 0, ...oddCall('') }), ['unnamed', {}, 'The call names no tool.']],
      [hostile.calls({ index: 0, ...oddCall(7) }), ['7', { a: 1 }, 'There is no tool of this name.']],
      [wholeMessage({ content: null, tool_calls: [oddCall(null)] }), ['unnamed', {}, 'The call names no tool.']],
      [wholeMessage({ content: null, function_call: oddCall('add').function }), ['add', { a: 1 }, undefined]],
      [hostile.answers('<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'), ['add', { a: 1 }, undefined]],
      ...[
        '<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>',
        '<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{"a": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        '[TOOL_CALLS]add[ARGS]{"a": 1}',
        '<|python_tag|>{"name": "add", "parameters": {"a": 1}}',
      ].map((text) => [hostile.answers(text), ['add', { a: 1 }, undefined]] as const),
    ] as const) {
      server.next(behaviour);
      const { parts, text, error } = await read();
      const seen = parts.flatMap((part) => (part.type === 'tool_call' ? [part.call] : []));
      expect([error, text, seen.map(({ name, input, problem }) => [name, input, problem])]).toEqual([
        null,
        '',
        [wanted],
      ]);
    }
    // Endpoints refuse names that are none.
    const told = { id: 'c', name: 'sum: all', input: {} };
    server.next();
    await read({
      messages: [
        { role: 'user', content: PROMPT },
        { role: 'assistant', content: '', toolCalls: [told] },
        { role: 'tool', outcomes: [{ callId: 'c', name: told.name, output: 'None.', isError: true }] },
      ],
    });
    expect(server.calls[0]!.body.messages).toMatchObject([{}, { tool_calls: [{ function: { name: 'sum_all' } }] }, {}]);
  });

  it('may think aloud, before and between', async () => {
    server.next(
      hostile.writes(
        hostile.piece({ reasoning_content: 'Let me ' }),
        hostile.piece({ reasoning: 'see.' }),
        hostile.piece({ content: 'Yes.' }),
        hostile.piece({}, 'length'),
      ),
    );
    const { parts, end } = await read();
    expect(parts).toEqual([
      { type: 'reasoning', text: 'Let me ' },
      { type: 'reasoning', text: 'see.' },
      { type: 'text', text: 'Yes.' },
    ]);
    expect(end).toMatchObject({ reason: 'length', usage: null, model: 'm' });
    expect(end?.providerData?.data).toEqual({ reasoning_content: 'Let me ', reasoning: 'see.' });
  });

  it('shows no closing tag of thoughts that its prompt opened, and from then on no such thoughts', async () => {
    const thinks = hostile.writes(
      ...['Let me see', '.\n</th', 'ink>\n\nYe', 's.'].map((content) => hostile.piece({ content })),
      hostile.piece({}, 'stop'),
    );
    const asked = model();
    const told = async (answer: typeof thinks) => {
      server.next(answer);
      const { parts } = await read({}, asked);
      const of = (type: string) =>
        parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');
      return [of('reasoning'), of('text')];
    };
    expect(await told(thinks)).toEqual(['', 'Let me see.\n\nYes.']);
    expect(await told(thinks)).toEqual(['Let me see.\n', 'Yes.']);
    const plain = hostile.writes(hostile.piece({ content: 'Yes, ' }), hostile.piece({ content: 'I do.' }, 'stop'));
    expect(await told(plain)).toEqual(['', 'Yes, I do.']);
    expect(await told(thinks)).toEqual(['', 'Let me see.\n\nYes.']);
  });

  it.each([
    ['{"city": "Amman"}'],
    ['```json\n{"city": "Amman"}\n```'],
    ['Here you are: {"city": "Amman"} — anything else?'],
  ])('gives JSON out of %j, also where it cannot be held to a schema', async (text) => {
    const outputSchema = { type: 'object', properties: { city: { type: 'string' } } };
    server.always(hostile.answers(text));
    for (const structuredOutput of [true, false]) {
      const supports = { tools: true, structuredOutput, images: true, reasoning: false };
      const asked = model({ descriptor: { supports } });
      const answer = await asked.generate({ ...request(), outputSchema, reasoningEffort: 'low' });
      expect(answer).toMatchObject({ object: { city: 'Amman' }, promptTokens: 1000, completionTokens: 500 });
    }
    const [held, told] = server.calls.map(({ body }) => body);
    expect(held).toMatchObject({ response_format: { type: 'json_schema' } });
    expect(told).not.toHaveProperty('response_format');
    expect(JSON.stringify(told)).toContain('JSON Schema');
    expect(told).not.toHaveProperty('reasoning_effort');
  });

  it.each<[string, hostile.Behaviour, new (...args: never[]) => DomainError]>([
    ['stalls', hostile.stallsBeforeFirstByte, GatewayTimeoutError],
    [
      'stalls within its answer',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      GatewayTimeoutError,
    ],
    ['cuts', hostile.cutsAfter('x'), BadGatewayError],
    ['fails', hostile.refuses(500), BadGatewayError],
    [
      'answers with a page',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      BadGatewayError,
    ],
    ['answers nothing', hostile.json(200, { choices: [] }), BadGatewayError],
    ['answers in prose', hostile.answers('No JSON here.'), BadGatewayError],
  ])('that %s fails a whole answer, too', async (_name, behaviour, type) => {
    server.next(behaviour);
    const failed = model().generate({ ...request(), outputSchema: { type: 'object' } });
    const error: unknown = await failed.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(type);
    expectNoLeak(error);
  });

  it('is hung up on when the caller aborts, with the caller’s own reason', async () => {
    server.next(hostile.drips(20));
    const stop = new AbortController();
    void until(() => server.calls.length > 0).then(() => stop.abort(new Error('the client went')));
    expect((await read({ signal: stop.signal })).error).toMatchObject({ message: 'the client went' });
    await server.calls[0]!.closed;
    server.next();
    expect((await read({ signal: stop.signal })).error).toMatchObject({ message: 'the client went' });
    expect(server.calls).toHaveLength(0);
  });

  it('that is not there is an error, too', async () => {
    const gone = await new hostile.HostileModel().start();
    const { baseUrl } = gone;
    await gone.stop();
    const { error } = await read({}, model({ baseUrl }));
    expect(error).toMatchObject({ code: 'model_unreachable' });
    expect(faultOf(error)).toMatchObject({ isPassing: true, isUnreached: true });
    expectNoLeak(error);
  });
});
