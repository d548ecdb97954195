import { ConfigurationError, listSettings, loadConfig } from './load.js';

const minimal = {
  DATABASE_URL: 'postgres://localhost/atrium',
  REDIS_URL: 'redis://localhost',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
};

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
      expect(mistakes.join()).toContain('API_PORT must be a whole number');
    }
  });

  it('checks settings against each other', () => {
    expect(() => loadConfig({ ...minimal, LLM_PROVIDER: 'openai' })).toThrow('LLM_PROVIDER=openai needs');
    expect(() => loadConfig({ ...minimal, SECRETS_KEY: 'c2hvcnQ=' })).toThrow('32 bytes');
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
