// From upload to searchable: the latency of one small text file, and documents per second of many, through the built
// api and indexer as processes. Needs a build and TEST_DATABASE_URL, TEST_REDIS_URL.
//   node test/bench/documents.mjs [singles=20] [burst=50]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { createDataSource, runMigrations } from '@app/entities';

const [singles, burst] = [Number(process.argv[2] ?? 20), Number(process.argv[3] ?? 50)];
const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
const name = `atrium_bench_${randomBytes(4).toString('hex')}`;
const databaseUrl = Object.assign(new URL(TEST_DATABASE_URL), { pathname: `/${name}` }).toString();
const admin = new Client(TEST_DATABASE_URL);
await admin.connect();
await admin.query(`CREATE DATABASE ${name}`);
const database = { url: databaseUrl, poolSize: 2, connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
const dataSource = await createDataSource(database, 'bench').initialize();
await runMigrations(dataSource);
await dataSource.destroy();
const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'));

async function start(app) {
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
    STORAGE_DIR: folder,
  };
  const entry = fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
  const child = fork(entry, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ready = await new Promise((done, fail) => {
    child.on('message', (message) => message.type === 'ready' && done(message));
    child.once('exit', (code) => fail(new Error(`${app} ended with ${code}`)));
  });
  return { ...ready, stop: () => new Promise((done) => child.removeAllListeners('exit').once('exit', done).kill()) };
}

const apps = await Promise.all(['api', 'indexer'].map(start));
const base = `http://127.0.0.1:${apps[0].port}`;
const headers = {};
const json = async (method, path, body) => {
  const init = body
    ? { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
    : { headers };
  const response = await fetch(base + path, { method, ...init });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};
await json('POST', '/api/v1/users/', { username: 'bench', email: 'bench@test.example', password: 'pw-9f8a7b6c5d' });
const { auth_token } = await json('POST', '/api/v1/token/login/', { username: 'bench', password: 'pw-9f8a7b6c5d' });
headers.authorization = `Token ${auth_token}`;

async function upload(index) {
  const form = new FormData();
  form.append('path', new File([`Note ${index}. The kettle is in the kitchen.`], `note-${index}.txt`));
  const response = await fetch(`${base}/semantic-search/upload/`, { method: 'POST', headers, body: form });
  if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`);
  return (await response.json()).uid;
}

async function completed(uids) {
  for (;;) {
    const rows = await json('POST', '/semantic-search/documents/status/', { uids });
    const failed = rows.find((row) => row.processing_state === 'failed');
    if (failed) throw new Error(failed.last_error);
    if (rows.every((row) => row.processing_state === 'completed')) return;
    await sleep(2);
  }
}

const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const ms = (value) => `${value.toFixed(0)} ms`;

await completed([await upload('warm-up')]);
const answered = [];
const searchable = [];
for (let index = 0; index < singles; index++) {
  const started = performance.now();
  const uid = await upload(index);
  answered.push(performance.now() - started);
  await completed([uid]);
  searchable.push(performance.now() - started);
}
console.log(`one text file: 201 after p50 ${ms(quantile(answered, 0.5))}, p95 ${ms(quantile(answered, 0.95))}`);
console.log(
  `one text file: searchable after p50 ${ms(quantile(searchable, 0.5))}, p95 ${ms(quantile(searchable, 0.95))}`,
);

const started = performance.now();
const uids = [];
const queue = Array.from({ length: burst }, (_, index) => index);
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (let index = queue.pop(); index !== undefined; index = queue.pop()) uids.push(await upload(`burst-${index}`));
  }),
);
const uploaded = performance.now() - started;
await completed(uids);
const total = performance.now() - started;
console.log(
  `${burst} text files, 8 at a time: uploaded in ${ms(uploaded)}, searchable in ${ms(total)} (${((burst * 1000) / total).toFixed(0)}/s)`,
);

for (const app of apps) await app.stop();
await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
await admin.end();
await rm(folder, { recursive: true, force: true });
