// What the benchmarks share: a database of their own, the built apps as processes on it, and clients that sign in.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { THIS_TREE } from './other-tree.mjs';

const STATUS_BATCH = 500;
const FINAL = new Set(['completed', 'failed', 'untrained', 'publish_failed']);

/**
 * @param {{ apps?: string[], settings?: Record<string, string>, root?: string, nodeFlags?: string[] }} options `settings`
 *   are added to a deployment's defaults; only the rate limits and the cost of passwords differ from those. `root` is a
 *   built tree
 */
export async function startDeployment({
  apps = ['api', 'indexer'],
  settings = {},
  root = THIS_TREE,
  nodeFlags = [],
} = {}) {
  const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
  if (!TEST_DATABASE_URL || !TEST_REDIS_URL) throw new Error('Run it as `npm run bench -- <name>`.');
  const name = `atrium_bench_${randomBytes(4).toString('hex')}`;
  const databaseUrl = Object.assign(new URL(TEST_DATABASE_URL), { pathname: `/${name}` }).toString();
  await administer(TEST_DATABASE_URL, `CREATE DATABASE ${name}`);
  const { createDataSource, runMigrations } = await import(pathToFileURL(join(root, 'libs/entities/dist/index.js')));
  const database = { url: databaseUrl, poolSize: 4, statementTimeoutMs: 600_000 };
  const dataSource = await createDataSource(database, 'bench').initialize();
  await runMigrations(dataSource);
  const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    REDIS_URL: TEST_REDIS_URL,
    REDIS_KEY_PREFIX: name,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    ARTIFACT_PORT: '0',
    BCRYPT_COST: '4',
    LOG_LEVEL: 'error',
    RATE_LIMITS: 'false',
    STORAGE_DIR: join(folder, 'files'),
    OUTBOX_DIR: join(folder, 'outbox'),
    ...settings,
  };
  const running = [];
  const switches = await switchesOf(root);

  async function start(app, more = {}) {
    const child = fork(join(root, 'apps', app, 'dist/main.js'), {
      execArgv: [...switches, ...nodeFlags],
      env: { ...env, ...more },
      stdio: ['ignore', settings.LOG_LEVEL ? 'inherit' : 'ignore', 'inherit', 'ipc'],
    });
    const exited = new Promise((done) => child.once('exit', done));
    const ready = await new Promise((done, fail) => {
      child.on('message', (message) => message.type === 'ready' && done(message));
      child.once('exit', (code) => fail(new Error(`${app} ended with ${code}`)));
    });
    const process = {
      app,
      pid: child.pid,
      port: ready.port,
      /** Whether it ended without having been told to. */
      get ended() {
        return child.exitCode !== null || child.signalCode !== null;
      },
      kill: (signal) => (child.kill(signal), exited),
    };
    running.push(process);
    return process;
  }

  for (const app of apps) await start(app);
  const api = running.find(({ app }) => app === 'api');
  return {
    folder,
    databaseUrl,
    dataSource,
    apps: running,
    start,
    base: api && `http://127.0.0.1:${api.port}`,
    signUp: (username) => BenchClient.signUp(`http://127.0.0.1:${api.port}`, username),
    async stop() {
      for (const process of running) if (!process.ended) await process.kill('SIGTERM');
      await dataSource.destroy();
      await administer(TEST_DATABASE_URL, `DROP DATABASE ${name} WITH (FORCE)`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the tree tells Node of memory; earlier ones told nothing. */
async function switchesOf(root) {
  const file = join(root, 'scripts/lib/node-switches.mjs');
  return existsSync(file) ? (await import(pathToFileURL(file))).NODE_SWITCHES : [];
}

/** On a connection of its own: the server may fall over in between. */
async function administer(url, statement) {
  const admin = new Client(url);
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}

/** A signed-in person. */
export class BenchClient {
  constructor(base, headers, username) {
    Object.assign(this, { base, headers, username });
  }

  static async signUp(base, username = `bench${randomBytes(3).toString('hex')}`) {
    const password = 'kite-over-the-hill';
    const anonymous = new BenchClient(base, {}, username);
    await anonymous.json('POST', '/api/v1/users/', { username, email: `${username}@mail.example`, password });
    const { auth_token: token } = await anonymous.json('POST', '/api/v1/token/login/', { username, password });
    return new BenchClient(base, { authorization: `Token ${token}` }, username);
  }

  async json(method, path, body) {
    const response = await this.send(method, path, body);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  send(method, path, body) {
    const headers = body ? { ...this.headers, 'content-type': 'application/json' } : this.headers;
    return fetch(this.base + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  }

  /** @returns {Promise<Response>} */
  async upload(file, fields = {}) {
    return this.#post('/semantic-search/upload/', 'path', [file], fields);
  }

  /** At most 50 files. @returns the result of each, in order */
  async uploadBatch(files, fields = {}) {
    const response = await this.#post('/semantic-search/upload/batch/', 'files', files, fields);
    if (!response.ok) throw new Error(`batch: ${response.status} ${await response.text()}`);
    return (await response.json()).results;
  }

  async #post(path, field, files, fields) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const file of files) form.append(field, file, file.name);
    return fetch(this.base + path, { method: 'POST', headers: this.headers, body: form });
  }

  /** Waits until none of the documents is at work any more. @returns {Promise<Map<string, object>>} their last states */
  async settled(uids, { everyMs = 200, withinMs = 3_600_000, onPoll = () => undefined } = {}) {
    const states = new Map();
    const deadline = performance.now() + withinMs;
    for (;;) {
      const open = uids.filter((uid) => !states.has(uid));
      for (let at = 0; at < open.length; at += STATUS_BATCH) {
        const rows = await this.json('POST', '/semantic-search/documents/status/', {
          uids: open.slice(at, at + STATUS_BATCH),
        });
        for (const row of rows) if (FINAL.has(row.processing_state)) states.set(row.uid, row);
      }
      await onPoll(states.size);
      if (states.size === uids.length) return states;
      if (performance.now() > deadline)
        throw new Error(`${uids.length - states.size} of ${uids.length} documents are not finished.`);
      await sleep(everyMs);
    }
  }

  search(body) {
    return this.json('POST', '/semantic-search/search/', body);
  }
}
