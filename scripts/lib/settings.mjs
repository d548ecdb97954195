import fs from 'node:fs';
import path from 'node:path';
import { UserError } from './log.mjs';
import { inRoot, ROOT } from './paths.mjs';

/** Lines `NAME=value`, with optional `export`, quotes and comments. */
export function parseEnvFile(text) {
  const values = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) continue;
    const quoted = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(match[2]);
    values[match[1]] = quoted ? quoted[2] : match[2].replace(/\s+#.*$/, '');
  }
  return values;
}

/** Secrets that the scripts need themselves; the apps read the files of all others. */
const OWN_SECRETS = ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'SECRETS_PREVIOUS_KEYS', 'DEMO_PASSWORD'];

/** The same, with those that `<NAME>_FILE` names read from their files, as the apps would. */
function withSecretFiles(env) {
  const filled = { ...env };
  for (const name of OWN_SECRETS) {
    const file = env[`${name}_FILE`];
    if (!file) continue;
    if (env[name]) throw new UserError(`${name} and ${name}_FILE are both set: set one of them.`);
    try {
      filled[name] = fs.readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      throw new UserError(`${name}_FILE names a file that cannot be used (${error.code}): ${file}.`);
    }
    if (filled[name] === '')
      throw new UserError(`${name}_FILE names a file that cannot be used (it is empty): ${file}.`);
    delete filled[`${name}_FILE`];
  }
  return filled;
}

/** The environment, with the `.env` file of the root below it, and without npm's own variables. */
export function readEnvironment(env = process.env) {
  const file = inRoot('.env');
  const fromFile = fs.existsSync(file) ? parseEnvFile(fs.readFileSync(file, 'utf8')) : {};
  const own = Object.entries(env).filter(([name, value]) => !/^npm_/i.test(name) && value !== '');
  return { ...fromFile, ...Object.fromEntries(own) };
}

function portOf(env, name, fallback) {
  const port = Number(env[name] ?? fallback);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new UserError(`${name} must be a port number from 1 to 65535, not "${env[name]}".`);
}

/** @returns {{ env: NodeJS.ProcessEnv, apiHost: string, apiPort: number, pagesPort: number | null, dataDir: string }} `pagesPort` is null when nobody named one */
export function readSettings() {
  const env = withSecretFiles(readEnvironment());
  const apiPort = portOf(env, 'API_PORT', 3000);
  const pagesPort = env.ARTIFACT_PORT ? portOf(env, 'ARTIFACT_PORT') : null;
  if (pagesPort === apiPort) throw new UserError('ARTIFACT_PORT must be another port than API_PORT.');
  return {
    env,
    apiHost: env.API_HOST ?? '0.0.0.0',
    apiPort,
    pagesPort,
    dataDir: path.resolve(ROOT, env.DATA_DIR ?? '.data'),
  };
}
