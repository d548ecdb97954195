// From the upload of a large CSV to its tables: time, resident memory of indexer and importing process, and what DuckDB
// alone takes to read the same file into a table. Needs a build and TEST_DATABASE_URL, TEST_REDIS_URL.
//   node test/bench/tables.mjs [rows=5000000]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { Client } from 'pg';
import { createDataSource, runMigrations } from '@app/entities';

const rows = Number(process.argv[2] ?? 5_000_000);
const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
const name = `atrium_bench_${randomBytes(4).toString('hex')}`;
const databaseUrl = Object.assign(new URL(TEST_DATABASE_URL), { pathname: `/${name}` }).toString();
const admin = new Client(TEST_DATABASE_URL);
await admin.connect();
await admin.query(`CREATE DATABASE ${name}`);
const dataSource = await createDataSource(
  { url: databaseUrl, poolSize: 2, statementTimeoutMs: 30_000 },
  'bench',
).initialize();
await runMigrations(dataSource);
await dataSource.destroy();
const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'));

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (kilobytes) => `${Math.round(kilobytes / 1024)} MB`;
const json = (body) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

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
    STORAGE_DIR: join(folder, 'files'),
  };
  const entry = fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
  const child = fork(entry, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ready = await new Promise((done, fail) => {
    child.on('message', (message) => message.type === 'ready' && done(message));
    child.once('exit', (code) => fail(new Error(`${app} ended with ${code}`)));
  });
  const stop = () => new Promise((done) => child.removeAllListeners('exit').once('exit', done).kill());
  return { ...ready, pid: child.pid, stop };
}

async function writeCsv(path) {
  const out = createWriteStream(path);
  out.write('id,ordered_on,amount,customer,paid\n');
  for (let row = 0; row < rows;) {
    let block = '';
    for (const end = Math.min(rows, row + 20_000); row < end; row++) {
      const day = `2024-${String((row % 12) + 1).padStart(2, '0')}-${String((row % 28) + 1).padStart(2, '0')}`;
      block += `${row},${day},${((row * 7919) % 100_000) / 100},c${row % 5000},${row % 3 > 0}\n`;
    }
    if (!out.write(block)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** Resident kilobytes, now and at most so far, of a process and of those that it started. */
async function residentOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).split(' ');
  const below = await Promise.all(children.filter(Boolean).map(residentOf));
  return { peak, children: Math.max(0, ...below.map((child) => child.peak)) };
}

const path = join(folder, 'orders.csv');
await writeCsv(path);
const apps = await Promise.all(['api', 'indexer'].map(start));
try {
  const base = `http://127.0.0.1:${apps[0].port}`;
  const account = { username: 'bench', password: 'kite-over-hill', email: 'bench@mail.example' };
  await fetch(`${base}/api/v1/users/`, json(account));
  const { auth_token: token } = await (await fetch(`${base}/api/v1/token/login/`, json(account))).json();
  const headers = { authorization: `Token ${token}` };

  const form = new FormData();
  form.append('path', await openAsBlob(path), 'orders.csv');
  const begun = performance.now();
  const response = await fetch(`${base}/database-search/upload/`, { method: 'POST', headers, body: form });
  let file = await response.json();
  if (response.status !== 201) throw new Error(JSON.stringify(file));
  const uploaded = performance.now();
  const peak = { indexer: 0, importer: 0 };
  while (!['completed', 'failed'].includes(file.processing_state)) {
    await sleep(100);
    const resident = await residentOf(apps[1].pid);
    peak.indexer = Math.max(peak.indexer, resident.peak);
    peak.importer = Math.max(peak.importer, resident.children);
    file = await (await fetch(`${base}/database-search/documents/${file.uid}/`, { headers })).json();
  }
  const done = performance.now();
  if (file.tables[0]?.row_count !== rows) throw new Error(JSON.stringify(file));

  const instance = await DuckDBInstance.create(join(folder, 'alone.duckdb'), { threads: '2' });
  const connection = await instance.connect();
  const alone = performance.now();
  await connection.run(`CREATE TABLE t AS SELECT * FROM read_csv('${path}')`);
  const duckdb = performance.now() - alone;
  connection.closeSync();
  instance.closeSync();

  console.log(`${rows} rows, ${Math.round((await stat(path)).size / 1024 / 1024)} MB`);
  console.log(
    `upload ${seconds(uploaded - begun)}, import ${seconds(done - uploaded)}, DuckDB alone ${seconds(duckdb)}`,
  );
  console.log(`peak resident: importing process ${megabytes(peak.importer)}, indexer ${megabytes(peak.indexer)}`);
} finally {
  await Promise.all(apps.map((app) => app.stop()));
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  await rm(folder, { recursive: true, force: true });
}
