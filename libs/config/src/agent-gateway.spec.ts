import { hash } from 'node:crypto';
import { type ConfigurationError, loadConfig } from './load.js';
import { secretValues } from './secret-values.js';

const minimal = {
  DATABASE_URL: 'postgres://atrium:of%2Fdb@localhost/atrium',
  REDIS_URL: 'redis://localhost',
  SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
};
const hermes = {
  ...minimal,
  AGENT_GATEWAY: 'hermes',
  AGENT_GATEWAY_URL: 'http://127.0.0.1:8642',
  AGENT_GATEWAY_KEY: 'a-key-of-sixteen-and-more',
};

function mistakesOf(settings: Record<string, string>): string[] {
  try {
    loadConfig({ ...hermes, ...settings });
  } catch (error) {
    return (error as ConfigurationError).mistakes;
  }
  return [];
}

describe('settings of the gateway of agents', () => {
  it('are enough with address and key', () => {
    expect(loadConfig(minimal).agentGateway).toMatchObject({ kind: 'embedded', profile: '{agent_id}' });
    expect(loadConfig(hermes).agentGateway).toMatchObject({ kind: 'hermes', url: hermes.AGENT_GATEWAY_URL });
    for (const AGENT_GATEWAY_PROFILE of ['none', 'atrium-{user_id}', '{agent_id}'])
      expect(mistakesOf({ AGENT_GATEWAY_PROFILE })).toEqual([]);
    expect(mistakesOf({ AGENT_GATEWAY_URL: 'https://agents.example/behind/a/path/' })).toEqual([]);
  });

  it.each<[Record<string, string>, string]>([
    [{ AGENT_GATEWAY_URL: '' }, 'AGENT_GATEWAY=hermes needs AGENT_GATEWAY_URL and AGENT_GATEWAY_KEY.'],
    [{ AGENT_GATEWAY_KEY: '' }, 'AGENT_GATEWAY=hermes needs AGENT_GATEWAY_URL and AGENT_GATEWAY_KEY.'],
    [{ AGENT_GATEWAY_URL: '127.0.0.1:8642' }, 'AGENT_GATEWAY_URL must be an http or https address'],
    [{ AGENT_GATEWAY_URL: 'ftp://agents.example' }, 'AGENT_GATEWAY_URL must be an http or https address'],
    [{ AGENT_GATEWAY_URL: 'http://u:canary@agents.example' }, 'without user, password and query'],
    [{ AGENT_GATEWAY_URL: 'http://agents.example/?key=canary' }, 'without user, password and query'],
    [{ AGENT_GATEWAY_URL: 'http://agents.example/v1/' }, 'without /v1 at its end'],
    [{ AGENT_GATEWAY_KEY: 'canary' }, '16 visible ASCII characters'],
    [{ AGENT_GATEWAY_KEY: 'canary canary canary' }, '16 visible ASCII characters'],
    [{ AGENT_GATEWAY_PROFILE: 'everybody' }, 'AGENT_GATEWAY_PROFILE must hold {agent_id} or {user_id}'],
    [{ AGENT_GATEWAY_PROFILE: '../{agent_id}' }, 'AGENT_GATEWAY_PROFILE must hold'],
    [{ AGENT_GATEWAY_PROFILE: '{name}' }, 'AGENT_GATEWAY_PROFILE must hold'],
    [{ AGENT_GATEWAY_TIMEOUT_SECONDS: '0' }, 'AGENT_GATEWAY_TIMEOUT_SECONDS is out of range'],
    [{ AGENT_GATEWAY: 'openclaw' }, 'AGENT_GATEWAY is none of the values'],
  ])('are refused at the start, in words: %j', (settings, words) => {
    const mistakes = mistakesOf(settings);
    expect(mistakes).toEqual([expect.stringContaining(words)]);
    expect(mistakes.join()).not.toContain('canary');
  });

  it('are told nobody where they are secret', () => {
    expect(secretValues(loadConfig({ ...hermes, LLM_API_KEY: 'key-of-the-model' }))).toEqual(
      expect.arrayContaining([
        'a-key-of-sixteen-and-more',
        'of/db',
        minimal.DATABASE_URL,
        minimal.SECRETS_KEY,
        'key-of-the-model',
      ]),
    );
  });
});
