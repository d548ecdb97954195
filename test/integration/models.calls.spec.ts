import { hash } from 'node:crypto';
import { BadGatewayError, GatewayTimeoutError } from '@app/common';
import { loadConfig } from '@app/config';
import type { LanguageModel, ModelRequest, StepEnd } from '@app/integrations';
import { createLanguageModels, type LanguageModels, UsageLedger } from '@app/models';
import { Logger } from '@nestjs/common';
import * as hostile from '../support/hostile-model.js';
import { stopwatch } from '../support/timing.js';

const KEY = 'sk-secret-1234';
const PROMPT = 'the secret plan of the board';
const limited = (seconds: number) => hostile.refuses(429, 'rate_limit_exceeded', { 'retry-after': String(seconds) });

const lines: unknown[] = [];
const keep = (...said: unknown[]) => void lines.push(said);
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content: PROMPT }],
  ...more,
});

async function ask(model: LanguageModel, more: Partial<ModelRequest> = {}) {
  const [took, started] = [stopwatch(), performance.now()];
  const stream = model.streamAnswer(request(more));
  let text = '';
  let error: unknown = null;
  try {
    for await (const piece of stream) text += piece;
  } catch (thrown) {
    error = thrown;
  }
  return {
    text,
    error,
    by: stream.answeredBy?.(),
    usage: stream.usage(),
    ms: took(),
    waited: performance.now() - started,
  };
}

/** What stands between a call and its endpoint: tries, places, limits, and the model that stands in. */
describe('a configured model', () => {
  const first = new hostile.HostileModel();
  const second = new hostile.HostileModel();
  beforeAll(async () => {
    await Promise.all([first.start(), second.start()]);
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
  });
  beforeEach(() => {
    first.next();
    second.next();
    lines.length = 0;
  });
  afterEach(() => {
    expect(JSON.stringify(lines)).not.toContain(KEY);
    expect(JSON.stringify(lines)).not.toContain(PROMPT);
  });
  afterAll(async () => {
    Logger.overrideLogger(false);
    await Promise.all([first.stop(), second.stop()]);
  });

  // Long, since machines stall: who tests a limit asks for that one alone.
  const patient = { first_token_seconds: 120, silence_seconds: 120, total_seconds: 200 };
  function configure(...models: Record<string, unknown>[]): LanguageModels {
    const known = { name: 'A model', api_key: KEY, timeout: patient };
    const config = loadConfig({
      DATABASE_URL: 'postgres://nowhere',
      REDIS_URL: 'redis://nowhere',
      SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
      LLM_MODELS: JSON.stringify(models.map((one) => ({ ...known, ...one }))),
    });
    return createLanguageModels(config.models, new UsageLedger(null, 'USD'));
  }
  const alone = (more: Record<string, unknown> = {}) =>
    configure({ id: 1, value: 'one', base_url: first.baseUrl, ...more }).default;
  const withStandIn = (more: Record<string, unknown> = {}, standIn: Record<string, unknown> = {}) =>
    configure(
      { id: 1, value: 'one', base_url: first.baseUrl, fallback: 2, ...more },
      { id: 2, value: 'two', base_url: second.baseUrl, ...standIn },
    ).default;

  it.each<[string, hostile.Behaviour]>([
    ['is busy', limited(0)],
    ['fails', hostile.refuses(500)],
    ['cuts before a word', hostile.cutsAfter('')],
    ['answers nonsense', hostile.writes(hostile.event({ answer: 42 }))],
  ])('is asked again when it %s', async (_name, behaviour) => {
    first.next(behaviour, behaviour);
    expect(await ask(alone())).toMatchObject({ text: 'Fine.', error: null, by: 'one' });
    first.next(behaviour, behaviour);
    expect(await alone().generate(request())).toMatchObject({ text: 'Fine.', model: 'one' });
    // Apps of files before this one may still have something to say.
    const told = lines.filter((line) => JSON.stringify(line).includes('Model 1 ('));
    expect(told).toHaveLength(4);
  });

  it('is given up after so many tries', async () => {
    first.always(hostile.refuses(503));
    expect((await ask(alone({ max_retries: 1 }))).error).toMatchObject({ code: 'model_error' });
    expect(first.calls).toHaveLength(2);
    first.always(hostile.refuses(503));
    expect((await ask(alone({ max_retries: 0 }))).error).toBeInstanceOf(BadGatewayError);
    expect(first.calls).toHaveLength(1);
  });

  it.each([
    ['its key is wrong', hostile.refuses(401), 'model_auth_failed'],
    ['it refuses the request', hostile.refuses(400), 'model_error'],
    ['the account is spent', hostile.refuses(429, 'insufficient_quota'), 'model_rate_limited'],
    ['it wants to be left alone for a day', limited(86_400), 'model_rate_limited'],
  ])('is not asked again when %s', async (_name, behaviour, code) => {
    first.always(behaviour);
    expect((await ask(alone())).error).toMatchObject({ code });
    expect(first.calls).toHaveLength(1);
  });

  it('is left alone for as long as it asks, and not longer than the call may take', async () => {
    first.next(limited(1));
    const { text, ms, waited } = await ask(alone());
    expect(text).toBe('Fine.');
    expect(waited).toBeGreaterThanOrEqual(1_000);
    expect(ms).toBeLessThan(10_000);
    first.next(limited(15));
    const given = await ask(alone({ timeout: { ...patient, total_seconds: 6 } }));
    expect(given.error).toBeInstanceOf(BadGatewayError);
    expect(given.ms).toBeLessThan(10_000);
  });

  it('is never asked again once something of the answer has come', async () => {
    for (const behaviour of [hostile.cutsAfter('Once '), hostile.stallsAfter('Once ')]) {
      first.next(behaviour);
      const { text, error } = await ask(withStandIn({ timeout: { ...patient, silence_seconds: 0.3 } }));
      expect(text).toBe('Once ');
      expect(error).not.toBeNull();
      expect([first.calls.length, second.calls.length]).toEqual([1, 0]);
    }
  });

  it('stops waiting for the next try when the caller aborts', async () => {
    first.always(limited(5));
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('the client went')), 200);
    const { error, ms } = await ask(alone(), { signal: stop.signal });
    expect(error).toMatchObject({ message: 'the client went' });
    expect(ms).toBeLessThan(4_500);
  });

  it.each<[string, hostile.Behaviour, number, Partial<typeof patient>]>([
    ['down', hostile.cutsAfter(''), 3, {}],
    ['limited for longer', limited(10), 1, { total_seconds: 6 }],
    ['silent', hostile.stallsAfterHeaders, 1, { first_token_seconds: 0.5 }],
    ['misconfigured', hostile.refuses(401), 1, {}],
  ])('has another one answer while it is %s, and says so', async (_name, behaviour, tries, timeout) => {
    first.always(behaviour);
    const model = withStandIn({ timeout: { ...patient, ...timeout } });
    expect(await ask(model)).toMatchObject({ text: 'Fine.', by: 'two', error: null });
    expect(first.calls).toHaveLength(tries);
    // It is passed over for a while.
    expect(await model.generate(request())).toMatchObject({ text: 'Fine.', model: 'two' });
    let end: StepEnd | null = null;
    const step = model.streamStep({ ...request(), tools: [] });
    for await (const _part of step) end = null;
    end = step.end();
    expect(end).toMatchObject({ model: 'two', reason: 'stop' });
    expect(first.calls).toHaveLength(tries);
    expect(second.calls.map(({ body }) => body.model)).toEqual(['two', 'two', 'two']);
  });

  it('fails when the one that stands in fails, too', async () => {
    first.always(hostile.refuses(401));
    second.always(hostile.refuses(401));
    expect((await ask(withStandIn())).error).toMatchObject({ code: 'model_auth_failed' });
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
  });

  it('has nobody answer instead who cannot, and nobody at all what is wrong in itself', async () => {
    const tools = [{ name: 'add', description: '', inputSchema: { type: 'object' } }];
    first.always(hostile.refuses(401));
    const model = withStandIn({}, { supports: { tools: false } });
    const step = model.streamStep({ ...request(), tools });
    await expect(step[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'model_auth_failed' });
    first.always(hostile.refuses(400, 'context_length_exceeded'));
    expect((await ask(withStandIn())).error).toMatchObject({ code: 'context_too_long' });
    expect(second.calls).toHaveLength(0);
  });

  it('refuses what it cannot take, without a call', async () => {
    const model = alone({ context_window: 1_000, supports: { tools: false, images: false } });
    const long = [{ role: 'user' as const, content: 'word '.repeat(2_000) }];
    expect((await ask(model, { messages: long })).error).toMatchObject({ code: 'context_too_long' });
    const image = { mediaType: 'image/png', data: new Uint8Array([1]) };
    const seen = [{ role: 'user' as const, content: 'What is it?', images: [image] }];
    expect((await ask(model, { messages: seen })).error).toMatchObject({ code: 'model_lacks_images' });
    const tools = [{ name: 'add', description: '', inputSchema: { type: 'object' } }];
    const step = model.streamStep({ ...request(), tools });
    await expect(step[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'model_lacks_tools' });
    expect(first.calls).toHaveLength(0);
    expect(await ask(alone({ context_window: 4_000 }), { messages: long })).toMatchObject({ text: 'Fine.' });
  });

  it('is not asked more at a time than it may, in the order of the callers', async () => {
    first.always(hostile.answers('Fine.', { delayMs: 30 }));
    first.load.most = 0;
    const model = alone({ max_concurrency: 3 });
    const ended: number[] = [];
    const all = Array.from({ length: 12 }, async (_, at) => {
      const { text } = await ask(model);
      ended.push(at);
      return text;
    });
    expect(await Promise.all(all)).toEqual(all.map(() => 'Fine.'));
    expect(first.load.most).toBe(3);
    expect(ended.slice(0, 3).every((at) => at < 6)).toBe(true);
  });

  it('gives its places back however a call ends', async () => {
    const model = alone({ max_concurrency: 1, max_retries: 0, timeout: { ...patient, first_token_seconds: 5 } });
    first.next(hostile.refuses(500), hostile.stallsAfterHeaders, hostile.cutsAfter('x'), hostile.drips(10));
    for (let round = 0; round < 3; round += 1) await ask(model);
    for await (const piece of model.streamAnswer(request())) if (piece) break;
    expect(await ask(model)).toMatchObject({ text: 'Fine.' });
  });

  it('does not make a caller wait for a place for ever, and turns to another one sooner', async () => {
    first.always(hostile.stallsAfterHeaders);
    const held = { max_concurrency: 1, timeout: { first_token_seconds: 6, total_seconds: 6 } };
    const stop = new AbortController();
    const model = withStandIn(held);
    const holding = ask(model, { signal: stop.signal });
    await hostile.pause(50);
    const { by, ms } = await ask(model);
    expect(by).toBe('two');
    expect(ms).toBeLessThan(5_500);
    stop.abort(new Error('enough'));
    await holding;

    const slow = alone({ ...held, timeout: { first_token_seconds: 9, total_seconds: 1 } });
    first.always(hostile.drips(50));
    const [one, other] = await Promise.all([ask(slow), ask(slow)]);
    expect([one.error, other.error]).toEqual([expect.any(GatewayTimeoutError), expect.any(GatewayTimeoutError)]);
  });

  it('is not asked more often a minute than it may', async () => {
    const model = alone({ requests_per_minute: 30 });
    await Promise.all(Array.from({ length: 30 }, () => ask(model)));
    const { ms, waited } = await ask(model);
    expect(waited).toBeGreaterThan(500);
    expect(ms).toBeLessThan(30_000);
  });

  it('gets no temperature where it takes none, and no more tokens than it has', async () => {
    await ask(alone({ supports: { temperature: false }, max_output_tokens: 50 }), {
      temperature: 0,
      maxOutputTokens: 90,
    });
    await ask(alone(), { temperature: 0, maxOutputTokens: 90 });
    const sent = first.calls.map(({ body: { temperature, max_tokens } }) => [temperature, max_tokens]);
    expect(sent).toEqual([
      [undefined, 50],
      [0, 90],
    ]);
  });

  it('can be found by what people call it', () => {
    const models = configure(
      { id: 4, value: 'small', name: 'Small one', base_url: first.baseUrl },
      { id: 7, value: 'big', name: 'Big one', base_url: first.baseUrl, default: true },
      { id: 9, value: 'vectors', name: 'Vectors', base_url: first.baseUrl, capability: 'embed' },
    );
    expect(models.default.descriptor).toMatchObject({ id: 7, value: 'big' });
    expect(models.list().map(({ id }) => id)).toEqual([4, 7, 9]);
    expect(['small', 'Big one', '4', 'vectors', '9', ''].map((name) => models.findByName(name)?.descriptor.id)).toEqual(
      [4, 7, 4, undefined, undefined, undefined],
    );
    expect(models.get(null)).toBe(models.default);
    expect(models.get(4).descriptor.value).toBe('small');
    for (const id of [0, 1, 9])
      expect(() => models.get(id)).toThrow(expect.objectContaining({ code: 'model_not_found' }));
  });
});
