import { randomBytes } from 'node:crypto';
import { loadConfig, type AppConfig } from '@app/config';
import { testServers } from './servers.js';

/** A configuration of the test's own: its database, a Redis key prefix that no other test has, cheap hashes. */
export function testConfig(databaseUrl: string, overrides: Record<string, string> = {}): AppConfig {
  return loadConfig(testEnv(databaseUrl, overrides));
}

/** The same as environment variables, for apps that a test starts as processes. */
export function testEnv(databaseUrl: string, overrides: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: testServers().redisUrl,
    REDIS_KEY_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    ARTIFACT_PORT: '0',
    DESCRIBE_AT_START: 'false',
    BCRYPT_COST: '4',
    // An app opens all it may at its start, and each connection takes 30 ms of a processor.
    DATABASE_POOL_SIZE: '6',
    // Where the machine stands still for seconds nobody is to be refused for it.
    DATABASE_CONNECT_TIMEOUT_MS: '120000',
    LOG_LEVEL: 'error',
    COOKIE_SECURE: 'true',
    LEASE_SECONDS: '4',
    HEARTBEAT_SECONDS: '1',
    SWEEP_SECONDS: '1',
    CHAT_TITLES: 'false',
    LLM_PROBES: 'false',
    QUERY_REWRITING: 'false',
    QUERY_SPLITTING: 'false',
    ...overrides,
  };
}
