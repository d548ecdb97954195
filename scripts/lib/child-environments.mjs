/** What a server of another maker needs of ours: where programs and libraries lie, and how text and time are meant. */
const PLAIN = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SYSTEMROOT'];

/** Every secret setting (a test compares them with libs/config, which is not yet built when they are needed). */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'REDIS_URL',
  'EXTRACTOR_SECRET',
  'AGENT_GATEWAY_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SSO_PLATFORM_CLIENT_SECRET',
  'SECRETS_KEY',
  'SECRETS_PREVIOUS_KEYS',
  'S3_SECRET_ACCESS_KEY',
  'MCP_OAUTH_CLIENTS',
  'LLM_API_KEY',
  'LLM_MODELS',
  'EMBEDDINGS_API_KEY',
  'RERANKER_API_KEY',
  'SMTP_URL',
  'TWILIO_AUTH_TOKEN',
  'DEMO_PASSWORD',
];

/**
 * The environment of an embedded server: no setting of the platform is its business.
 * @param {NodeJS.ProcessEnv} more
 * @returns {NodeJS.ProcessEnv}
 */
export function serverEnvironment(more = {}, env = process.env) {
  const plain = PLAIN.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]);
  return { ...Object.fromEntries(plain), ...more };
}

/**
 * The environment for tools that install and build, which run code of many makers.
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutSecrets(env = process.env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_SETTINGS.includes(name)));
}
