import { hash } from 'node:crypto';
import { ConfigurationError, listSettings, loadConfig } from './load.js';

const minimal = {
  DATABASE_URL: 'postgres://localhost/atrium',
  REDIS_URL: 'redis://localhost',
  SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
};

function mistakesOf(settings: Record<string, string>): string[] {
  try {
    loadConfig({ ...minimal, ...settings });
  } catch (error) {
    return (error as ConfigurationError).mistakes;
  }
  return [];
}

describe('loadConfig', () => {
  it('fills defaults, converts types and freezes', () => {
    const config = loadConfig({ ...minimal, CORS_ORIGINS: 'https://a.example, https://b.example', RATE_LIMITS: 'no' });
    expect(config.http.port).toBe(3000);
    expect(config.http.corsOrigins).toEqual(['https://a.example', 'https://b.example']);
    expect(config.rateLimits.enabled).toBe(false);
    expect(config.http.publicUrl).toBeUndefined();
    expect(Object.isFrozen(config.http)).toBe(true);
  });

  it('names every mistake at once', () => {
    expect.assertions(3);
    try {
      loadConfig({ API_PORT: 'eighty', LOG_LEVEL: 'loud' });
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError);
      const { mistakes } = error as ConfigurationError;
      expect(mistakes.map((mistake) => mistake.split(' ')[0])).toEqual([
        'DATABASE_URL',
        'REDIS_URL',
        'API_PORT',
        'SECRETS_KEY',
        'LOG_LEVEL',
      ]);
      expect(mistakes.join()).toContain('API_PORT must be a whole number, and is "eighty"');
    }
  });

  it('tells what a wrong setting is and may be, unless it is a secret', () => {
    expect(mistakesOf({ RUNNER_CONCURRENCY: '0', LOG_LEVEL: 'verbose', LLM_BASE_URL: 'api.example/v1' })).toEqual([
      'RUNNER_CONCURRENCY is out of range, and is "0". Workflow runs that one runner works on at a time, besides up to four times as many that take longer than two seconds (1 to 512).',
      'LLM_BASE_URL must be an http or https address, such as https://host.example, and is "api.example/v1". Address of the language model endpoint, ending in /v1; of Azure with the deployment and ?api-version=.',
      expect.stringMatching(/^LOG_LEVEL is none of the values that it can have, and is "verbose"\. .*\(fatal, error/),
    ]);
    expect(mistakesOf({ DATABASE_URL: 'mysql://u:canary@db/x', REDIS_URL: 'canary:6379' })).toEqual([
      'DATABASE_URL must begin with postgres:// or postgresql://. Address of the Postgres database, with user and password.',
      'REDIS_URL must begin with redis:// or rediss://. Address of the Redis server, with password.',
    ]);
    expect(mistakesOf({ PUBLIC_URL: 'atrium.example' })[0]).toContain('PUBLIC_URL must be an http or https address');
    for (const origin of ['app.example', 'https://app.example/', 'https://App.example', '*'])
      expect(mistakesOf({ CORS_ORIGINS: `https://a.example, ${origin}` })).toEqual([
        expect.stringContaining(`${origin} in CORS_ORIGINS is no origin`),
      ]);
    for (const origin of [
      'pages.example',
      'https://pages.example/',
      'https://x.*.example',
      'https://*.a.example:99999',
    ])
      expect(mistakesOf({ ARTIFACT_ORIGIN: origin })).toEqual([
        expect.stringContaining('ARTIFACT_ORIGIN must be an origin in lower case'),
      ]);
    for (const origin of ['https://pages.example', 'https://*.pages.example', 'http://localhost:3001'])
      expect(mistakesOf({ ARTIFACT_ORIGIN: origin })).toEqual([]);
    const origins = 'http://localhost:5173,https://app.example,capacitor://localhost,http://[::1]:3000';
    expect(mistakesOf({ CORS_ORIGINS: origins })).toEqual([]);
    expect(mistakesOf({ RERANKER_PROVIDER: 'endpoint' })).toEqual([expect.stringContaining('RERANKER_BASE_URL')]);
    const models = JSON.stringify([
      { id: 1, name: 'Chat', value: 'chat' },
      { id: 2, name: 'Draw', value: 'd', capability: 'image_gen' },
    ]);
    const endpoint = { LLM_MODELS: models, LLM_BASE_URL: 'http://localhost/v1', LLM_API_KEY: 'k' };
    for (const known of ['Chat', 'chat', '1']) expect(mistakesOf({ ...endpoint, QUERY_MODEL: known })).toEqual([]);
    for (const other of ['d', 'none'])
      expect(mistakesOf({ ...endpoint, QUERY_MODEL: other })).toEqual([expect.stringContaining('QUERY_MODEL')]);
  });

  it('checks settings against each other', () => {
    expect(() => loadConfig({ ...minimal, LLM_PROVIDER: 'openai' })).toThrow('LLM_PROVIDER=openai needs');
    expect(() => loadConfig({ ...minimal, SECRETS_KEY: 'c2hvcnQ=' })).toThrow('32 bytes');
    expect(() => loadConfig({ ...minimal, SECRETS_KEY: 'ab'.repeat(32) })).toThrow('SECRETS_KEY is hexadecimal');
    expect(mistakesOf({ SECRETS_PREVIOUS_KEYS: `${minimal.SECRETS_KEY},"${minimal.SECRETS_KEY}"` })).toEqual([
      expect.stringContaining('Key 2 of SECRETS_PREVIOUS_KEYS has quotes'),
    ]);
  });

  it('wants a master key that was drawn, and reads what an older one has sealed', () => {
    const guessable = Buffer.alloc(32).toString('base64');
    expect(mistakesOf({ SECRETS_KEY: guessable })).toEqual([expect.stringContaining('openssl rand -base64 32')]);
    expect(mistakesOf({ SECRETS_PREVIOUS_KEYS: guessable })).toEqual([]);
    expect(mistakesOf({ SECRETS_PREVIOUS_KEYS: `${minimal.SECRETS_KEY},x` })).toEqual([
      expect.stringContaining('SECRETS_PREVIOUS_KEYS'),
    ]);
  });

  it('wants a bucket for S3, both halves of its key, and an address without secrets', () => {
    const s3 = { ...minimal, STORAGE_PROVIDER: 's3', S3_BUCKET: 'files' };
    expect(() => loadConfig({ ...minimal, STORAGE_PROVIDER: 's3' })).toThrow('STORAGE_PROVIDER=s3 needs S3_BUCKET');
    expect(() => loadConfig({ ...s3, S3_ACCESS_KEY_ID: 'a' })).toThrow('belong together');
    for (const S3_ENDPOINT of ['minio:9000', 'https://key:secret@minio.example', 'ftp://minio.example'])
      expect(() => loadConfig({ ...s3, S3_ENDPOINT })).toThrow('S3_ENDPOINT must be');
    for (const S3_PREFIX of ['/atrium', 'a//b', '../b', 'a b'])
      expect(() => loadConfig({ ...s3, S3_PREFIX })).toThrow('S3_PREFIX may hold');
    expect(loadConfig({ ...s3, S3_ENDPOINT: 'http://minio:9000', S3_PREFIX: 'one/two/' }).s3).toMatchObject({
      endpoint: 'http://minio:9000',
      prefix: 'one/two/',
      region: 'us-east-1',
    });
  });

  it('declares each environment variable once', () => {
    const names = listSettings().map((row) => row.env);
    expect(new Set(names).size).toBe(names.length);
  });
});
