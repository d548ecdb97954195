import { hash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, loadConfig } from '../load.js';

const minimal = {
  DATABASE_URL: 'postgres://localhost/atrium',
  REDIS_URL: 'redis://localhost',
  SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
};
const load = (models: unknown, env: Record<string, string> = {}) =>
  loadConfig({ ...minimal, LLM_MODELS: typeof models === 'string' ? models : JSON.stringify(models), ...env }).models;
const one = { id: 3, name: 'Small', value: 'small', base_url: 'http://models.internal/v1' };

function mistakesOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.mistakes;
    throw error;
  }
  return [];
}

it('is empty without settings, and one model with the simple ones', () => {
  expect(loadConfig(minimal).models).toEqual({ list: [], defaultId: 1, currency: 'USD' });
  const simple = { LLM_PROVIDER: 'openai', LLM_BASE_URL: 'https://m.example/v1', LLM_API_KEY: 'k', LLM_MODEL: 'big' };
  expect(loadConfig({ ...minimal, ...simple, LLM_TIMEOUT_SECONDS: '20' }).models).toMatchObject({
    defaultId: 1,
    list: [
      {
        id: 1,
        value: 'big',
        provider: 'm.example',
        apiKey: 'k',
        isDefault: true,
        timeouts: { firstTokenSeconds: 20, silenceSeconds: 20, totalSeconds: 20, answerSeconds: 600 },
      },
    ],
  });
});

it('reads a list, with what is common to all', () => {
  const models = [
    {
      ...one,
      on_premises: false,
      fallback: 8,
      price: { input: 1, output: 4, currency: 'EUR' },
      timeout: { silence_seconds: 5 },
    },
    { id: 8, name: 'Eyes', value: 'eyes', capability: 'vision', default: true },
    { id: 9, name: 'Keyed', value: 'x', base_url: 'https://b.example/v1', api_key_env: 'B_KEY', capability: 'embed' },
  ];
  const read = load(models, { LLM_BASE_URL: 'https://a.example/v1', LLM_API_KEY: 'a-key', B_KEY: 'b-key' });
  expect(read).toMatchObject({ defaultId: 8, currency: 'EUR' });
  expect(read.list.map(({ id, baseUrl, apiKey, supports }) => [id, baseUrl, apiKey, supports.images])).toEqual([
    // The key of LLM_BASE_URL does not go elsewhere.
    [3, 'http://models.internal/v1', null, false],
    [8, 'https://a.example/v1', 'a-key', true],
    [9, 'https://b.example/v1', 'b-key', false],
  ]);
  expect(read.list[0]).toMatchObject({
    price: { input: 1, output: 4, cachedInput: 1 },
    timeouts: { firstTokenSeconds: 60, silenceSeconds: 5, totalSeconds: 120, answerSeconds: 600 },
  });
  // What is said of one model in all is for its streams, too.
  const [quick] = load([{ ...one, timeout: { total_seconds: 7 } }]).list;
  expect(quick!.timeouts).toMatchObject({ totalSeconds: 7, answerSeconds: 7 });
});

it('lets no model of the house fall back to one elsewhere', () => {
  const away = { id: 8, name: 'Away', value: 'away', base_url: 'https://a.example/v1' };
  const refused = [expect.stringContaining('the fallback of model 3, which is on_premises, is 8, which is not')];
  expect(mistakesOf(() => load([{ ...one, fallback: 8 }, away]))).toEqual(refused);
  expect(
    mistakesOf(() =>
      load([
        { ...one, fallback: 8 },
        { ...away, on_premises: true },
      ]),
    ),
  ).toEqual([]);
  expect(mistakesOf(() => load([{ ...one, fallback: 8, on_premises: false }, away]))).toEqual([]);
  expect(mistakesOf(() => load([one, { ...away, fallback: 3 }]))).toEqual([]);
  // One after the other.
  const between = { ...one, id: 4, fallback: 8, base_url: 'https://b.example/v1', on_premises: true };
  expect(mistakesOf(() => load([{ ...one, fallback: 4 }, between, away]))).toHaveLength(1);
});

it('reads a file', () => {
  const LLM_MODELS_FILE = join(mkdtempSync(join(tmpdir(), 'atrium-models-')), 'models.json');
  writeFileSync(LLM_MODELS_FILE, JSON.stringify([one]));
  expect(loadConfig({ ...minimal, LLM_MODELS_FILE }).models.list).toHaveLength(1);
  expect(mistakesOf(() => loadConfig({ ...minimal, LLM_MODELS_FILE: '/nowhere/models.json' }))).toEqual([
    'LLM_MODELS_FILE cannot be read (ENOENT): /nowhere/models.json.',
  ]);
  expect(mistakesOf(() => load([one], { LLM_MODELS_FILE }))).toEqual([expect.stringContaining('set one of them')]);
});

it('names every mistake at once, and no secret', () => {
  const key = 'sk-very-secret';
  const models = [
    { ...one, fallback: 3, price: { input: 1, output: 1, currency: 'EUR' }, default: true },
    { ...one, value: '', api_key: key, colour: 'blue', base_url: 'ftp://x' },
    { ...one, api_key: key, api_key_env: 'MISSING', fallback: 77, price: { input: 1, output: 1 }, default: true },
    { id: 5, name: 'No address', value: 'x', capability: 'embed', api_key_env: 'MISSING' },
  ];
  const mistakes = mistakesOf(() => load(models, { LLM_MODEL: 'one', API_PORT: 'eighty' }));
  const expected = [
    'API_PORT must be a whole number',
    'LLM_MODEL names the only model',
    'LLM_MODELS[1].value',
    'LLM_MODELS[1].base_url must be an http or https address',
    'LLM_MODELS[1] is wrong: Unrecognized key: "colour"',
    'the id 3 is used more than once',
    'only one model can be the default',
    'all prices must be in one currency, not in EUR and USD',
    'the fallback of model 3 is 77',
    'lead back to it',
    'model 3 has api_key and api_key_env',
    'model 5 needs base_url',
    'model 5 names the variable MISSING',
  ];
  for (const sentence of expected) expect(mistakes).toContainEqual(expect.stringContaining(sentence));
  expect(mistakes).toHaveLength(expected.length);
  expect(mistakes.join()).not.toContain(key);
});

it.each([['[{"api_key": "sk-very-secret", '], ['{}'], ['[]'], ['"sk-very-secret"'], ['[sk-very-secret]']])(
  'refuses %s without quoting it',
  (text) => {
    const mistakes = mistakesOf(() => load(text));
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(/^LLM_MODELS (is not JSON|must be a list)/);
    expect(mistakes[0]).not.toContain('secret');
  },
);

describe('protocols', () => {
  const claude = { id: 1, name: 'Claude', value: 'claude', protocol: 'anthropic', api_key_env: 'CLAUDE' };

  it('have addresses, keys, headers and members of bodies of their own', () => {
    const headers = { headers: { 'x-org': 'acme' }, headers_env: { 'x-secret': 'HEADER' } };
    const models = [
      {
        ...claude,
        ...headers,
        price: { input: 3, output: 15, cached_input: 0.3, cache_write: 3.75 },
        capability: 'vision',
      },
      { ...one, extra_body: { chat_template_kwargs: { enable_thinking: false } } },
      {
        id: 4,
        name: 'AWS',
        value: 'x',
        protocol: 'bedrock',
        base_url: 'https://b.example',
        access_key_id: 'AKIAABCDEFGHIJKL',
      },
    ];
    const read = load(models, {
      CLAUDE: 'c-key',
      HEADER: 's3cret',
      LLM_BASE_URL: 'https://a.example/v1',
      LLM_API_KEY: 'a-key',
    });
    expect(read.list).toMatchObject([
      {
        protocol: 'anthropic',
        baseUrl: 'https://api.anthropic.com/v1',
        apiKey: 'c-key',
        headers: { 'x-org': 'acme', 'x-secret': 's3cret' },
        supports: { images: true, documents: true },
        price: { cachedInput: 0.3, cacheWrite: 3.75, picture: null },
      },
      {
        protocol: 'openai',
        extraBody: { chat_template_kwargs: { enable_thinking: false } },
        supports: { documents: false },
      },
      { protocol: 'bedrock', apiKey: null, accessKeyId: 'AKIAABCDEFGHIJKL' },
    ]);
  });

  it('are chosen by LLM_PROVIDER, and by the provider of a model that would have no address', () => {
    const single = { LLM_PROVIDER: 'gemini', LLM_API_KEY: 'k', LLM_MODEL: 'gemini-3' };
    expect(loadConfig({ ...minimal, ...single }).models.list).toMatchObject([
      { protocol: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com/v1beta', apiKey: 'k' },
    ]);
    const named = { id: 1, name: 'C', value: 'c', provider: 'anthropic' };
    expect(load([named]).list).toMatchObject([{ protocol: 'anthropic' }]);
    expect(load([named], { LLM_BASE_URL: 'https://gateway.example/v1' }).list).toMatchObject([{ protocol: 'openai' }]);
    expect(mistakesOf(() => loadConfig({ ...minimal, LLM_PROVIDER: 'azure', LLM_MODEL: 'x' }))).toEqual([
      'LLM_PROVIDER=azure needs LLM_BASE_URL and LLM_MODEL, or a list of models in LLM_MODELS or LLM_MODELS_FILE.',
    ]);
  });

  it.each([
    [{ protocol: 'bedrock' }, 'model 1 needs base_url.'],
    [
      { protocol: 'gemini', access_key_id: 'AKIAABCDEFGHIJKL' },
      'model 1 has access_key_id, which is for the protocol bedrock alone.',
    ],
    [
      { protocol: 'gemini', capability: 'image_gen' },
      'model 1 cannot have the protocol gemini: models of image_gen speak openai alone.',
    ],
    [{ headers: { host: 'evil' } }, '[0].headers.host'],
    [{ headers: { a: 'x\r\ny: z' } }, '[0].headers.a must be printable ASCII.'],
    [
      { headers_env: { a: 'NOT_SET' } },
      'model 1 names the variable NOT_SET for a header, which is not set or not printable ASCII.',
    ],
    [{ extra_body: { messages: [] } }, '[0].extra_body must not hold model, messages'],
  ])('tell of %j', (more, mistake) => {
    const models = [
      { id: 1, name: 'A', value: 'a', ...('protocol' in more ? {} : { base_url: 'https://a.example/v1' }), ...more },
      { ...one, id: 2 },
    ];
    expect(mistakesOf(() => load(models))).toContainEqual(expect.stringContaining(mistake) as string);
  });

  it('lend the address of a model that makes vectors', () => {
    const models = [
      one,
      { id: 9, name: 'Vectors', value: 'bge', base_url: 'https://b.example/v1', capability: 'embed' },
    ];
    const env = { EMBEDDINGS_PROVIDER: 'openai', EMBEDDINGS_MODEL: 'Vectors' };
    expect(mistakesOf(() => load(models, env))).toEqual([]);
    expect(mistakesOf(() => load(models, { ...env, EMBEDDINGS_MODEL: 'other' }))[0]).toContain(
      'EMBEDDINGS_PROVIDER=openai',
    );
  });
});
