import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfigurationError, listSettings, loadConfig, loadDatabaseConfig } from './load.js';
import { settingsEnvFile, settingsTable } from './documents.js';
import { findSuspicions } from './suspicions.js';

const KEY = hash('sha256', 'a key of tests', 'base64');
const plain = { DATABASE_URL: 'postgres://localhost/atrium', REDIS_URL: 'redis://localhost', SECRETS_KEY: KEY };

function mistakesOf(settings: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(settings);
  } catch (error) {
    return (error as ConfigurationError).mistakes;
  }
  return [];
}

describe('secrets as files', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'atrium-secrets-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function fileWith(content: string | Uint8Array): string {
    const file = join(folder, hash('sha256', content));
    writeFileSync(file, content);
    return file;
  }

  it.each(['', '\n', '\r\n'])('are read, without their last line end (%j)', (end) => {
    const config = loadConfig({
      DATABASE_URL_FILE: fileWith(`postgres://file/atrium${end}`),
      REDIS_URL_FILE: fileWith(`redis://file${end}`),
      SECRETS_KEY_FILE: fileWith(`${KEY}${end}`),
      SECRETS_PREVIOUS_KEYS_FILE: fileWith(`${KEY},${KEY}${end}`),
      MCP_OAUTH_CLIENTS_FILE: fileWith(`{"https://auth.example":{"client_id":"atrium","client_secret":"s"}}${end}`),
      // Set empty is not set, as compose files write it.
      SECRETS_KEY: '',
    });
    expect(config.database.url).toBe('postgres://file/atrium');
    expect(config.redis.url).toBe('redis://file');
    expect(config.secrets).toMatchObject({ key: KEY, previousKeys: [KEY, KEY] });
    expect(loadDatabaseConfig({ DATABASE_URL_FILE: fileWith('postgres://file/x\n') }).url).toBe('postgres://file/x');
  });

  it('keep other line ends and spaces', () => {
    expect(loadConfig({ ...plain, LLM_API_KEY_FILE: fileWith(' a\n\n') }).languageModel.apiKey).toBe(' a\n');
  });

  it('exist for every secret setting, and for no other', () => {
    for (const { env, secret, file } of listSettings()) {
      if (file !== null) {
        expect([env, secret]).toEqual([env, true]);
        expect(mistakesOf({ ...plain, [env]: 'canary', [file]: '/nowhere' })).toContain(
          `${env} and ${file} are both set: set one of them.`,
        );
        expect(settingsTable()).toContain(`\`${env}\` or \`${file}\``);
        expect(settingsEnvFile()).toContain(`${file} may name a file that holds it.`);
        expect(findSuspicions({ [file]: '/nowhere' }).join()).not.toContain(`${file} `);
      } else if (secret) expect(env).toBe('LLM_MODELS');
    }
    expect(findSuspicions({ API_PORT_FILE: '/x' })).toEqual([
      'API_PORT_FILE has no effect: only secrets can be given as files.',
    ]);
    expect(findSuspicions({ SMTP_URL_FILE: '/x' })).toEqual(['SMTP_URL has no effect without MAIL_PROVIDER=smtp.']);
  });

  it.each([
    ['that is not there', () => '/nowhere/key', 'ENOENT'],
    ['that is a folder', () => folder, 'EISDIR'],
    ['that is empty', () => fileWith('\n'), 'it is empty'],
    ['that is no text', () => fileWith(Uint8Array.of(0xff, 0xfe, 0x41)), 'it is no UTF-8 text'],
  ])('tell of a file %s, once and without its content', (_, file, reason) => {
    const { SECRETS_KEY: _key, ...others } = plain;
    const path = file();
    expect(mistakesOf({ ...others, SECRETS_KEY_FILE: path })).toEqual([
      `SECRETS_KEY_FILE names a file that cannot be used (${reason}): ${path}.`,
    ]);
  });

  it('hold wrong values as the environment could, and are not quoted', () => {
    const { REDIS_URL: _url, ...others } = plain;
    const mistakes = mistakesOf({ ...others, REDIS_URL_FILE: fileWith('canary:6379') });
    expect(mistakes).toEqual([expect.stringContaining('REDIS_URL must begin with')]);
    expect(mistakes.join()).not.toContain('canary');
  });

  it('serve the models that name a variable', () => {
    const LLM_MODELS = JSON.stringify([
      { id: 1, name: 'One', value: 'one', base_url: 'https://llm.example/v1', api_key_env: 'KEY_OF_ONE' },
    ]);
    const models = { ...plain, LLM_PROVIDER: 'openai', LLM_MODELS };
    expect(loadConfig({ ...models, KEY_OF_ONE_FILE: fileWith('k1\n') }).models.list[0]!.apiKey).toBe('k1');
    expect(mistakesOf({ ...models, KEY_OF_ONE_FILE: '/nowhere' })).toEqual([
      'LLM_MODELS: model 1: KEY_OF_ONE_FILE names a file that cannot be used (ENOENT): /nowhere.',
    ]);
    expect(mistakesOf({ ...models, KEY_OF_ONE_FILE: fileWith('k1'), KEY_OF_ONE: 'k' })).toEqual([
      'LLM_MODELS: model 1: KEY_OF_ONE and KEY_OF_ONE_FILE are both set: set one of them.',
    ]);
  });
});
