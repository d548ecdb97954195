// The workflow bars: webhook trigger to 202, completed runs of a 4-node fan-out/join over 20 workflows, and the time
// from trigger to completion at low load. api, runner, Postgres, Redis and this client share the machine. Needs a build
// and TEST_DATABASE_URL, TEST_REDIS_URL.
//   node test/bench/workflows.mjs [rounds=3] [calls=4000] [extra node flags for the apps, such as --cpu-prof]
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { Client } from 'pg';
import { createDataSource, runMigrations } from '@app/entities';

const [rounds, calls] = [Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 4000)];
const nodeFlags = process.argv.slice(4);
const WORKFLOWS = 20;
const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
const name = `atrium_bench_${randomBytes(4).toString('hex')}`;
const databaseUrl = Object.assign(new URL(TEST_DATABASE_URL), { pathname: `/${name}` }).toString();
const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
const admin = new Client(TEST_DATABASE_URL);
await admin.connect();
await admin.query(`CREATE DATABASE ${name}`);
const dataSource = await createDataSource(
  { url: databaseUrl, poolSize: 2, statementTimeoutMs: 30_000 },
  'bench',
).initialize();
await runMigrations(dataSource);

const env = {
  PATH: process.env.PATH,
  DATABASE_URL: databaseUrl,
  REDIS_URL: TEST_REDIS_URL,
  REDIS_KEY_PREFIX: name,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  BCRYPT_COST: '4',
  STORAGE_DIR: folder,
  API_HOST: '127.0.0.1',
  API_PORT: '0',
  LOG_LEVEL: 'warn',
};

async function start(app) {
  const entry = fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, entry], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ready = await new Promise((resolve, reject) => {
    child.on('message', (message) => message.type === 'ready' && resolve(message));
    child.once('exit', (code) => reject(new Error(`${app} ended with ${code}`)));
  });
  return { app, child, port: ready.port };
}

const api = await start('api');
const runner = await start('workflow-runner');
const base = `http://127.0.0.1:${api.port}`;
const json = { 'content-type': 'application/json' };
async function request(method, path, body, headers = {}) {
  const init = { method, headers: { ...json, ...headers } };
  const response = await fetch(base + path, body ? { ...init, body: JSON.stringify(body) } : init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const account = { username: 'bench', email: 'bench@mail.example', password: 'kite-over-hill' };
await request('POST', '/api/v1/users/', account);
const session = await request('POST', '/api/v1/token/login/', account);
const authorization = { authorization: `Token ${session.auth_token}` };
const definition = {
  name: 'Fan out and join',
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['left', 'right'] },
    { id: 'left', kind: 'template', params: { template: 'left {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'right', kind: 'template', params: { template: 'right {{_webhook_payload.n}}' }, next: ['join'] },
    {
      id: 'join',
      kind: 'merge',
      params: { values: [{ $ref: '_output.left.text' }, { $ref: '_output.right.text' }] },
    },
  ],
};

async function createWorkflow() {
  const { workflow_id: id } = await request(
    'POST',
    '/microservices/workflow/start/',
    { json: definition },
    authorization,
  );
  const detail = await request('GET', `/microservices/workflow/${id}/`, undefined, authorization);
  const { webhook_id, webhook_secret } = detail;
  return { id, body: JSON.stringify({ webhook_id, webhook_secret, payload: { n: 1 } }) };
}
const workflows = [];
for (let index = 0; index < WORKFLOWS; index++) workflows.push(await createWorkflow());

const count = async (sql) => Number((await dataSource.query(`SELECT count(*) FROM ${sql}`))[0].count);
const allDone = async () => {
  while ((await count(`workflow_requests WHERE status IN ('pending', 'running')`)) > 0) await sleep(25);
};
const requests = workflows.map(({ body }) => ({
  method: 'POST',
  path: '/microservices/workflow/webhook/',
  headers: json,
  body,
}));

/** Sends `calls` triggers, spread over the workflows, and waits until all runs have ended. */
async function burst(connections) {
  const [{ now }] = await dataSource.query('SELECT now()');
  const result = await autocannon({ url: base, connections, amount: calls, requests });
  if (result['2xx'] !== calls) throw new Error(`only ${result['2xx']} of ${calls} triggers were taken`);
  await allDone();
  const [row] = await dataSource.query(
    `SELECT count(*) FILTER (WHERE status = 'COMPLETED') AS completed,
       extract(epoch FROM max(finished_at) - min(created_at)) AS seconds FROM workflow_runs WHERE created_at >= $1`,
    [now],
  );
  return {
    acks: calls / ((result.finish - result.start) / 1000),
    p50: result.latency.p50,
    p99: result.latency.p99,
    runs: Number(row.completed) / Number(row.seconds),
  };
}

/** One call at a time, with pauses: milliseconds from sending the trigger to the end of its run. */
async function lowLoad(samples) {
  const sentAt = new Map();
  for (let index = 0; index < samples; index++) {
    const sent = Date.now();
    const response = await fetch(`${base}/microservices/workflow/webhook/`, {
      method: 'POST',
      headers: json,
      body: workflows[index % WORKFLOWS].body,
    });
    sentAt.set((await response.json()).request_id, sent);
    await sleep(40);
  }
  await allDone();
  const rows = await dataSource.query('SELECT id, finished_at FROM workflow_requests WHERE id = ANY($1)', [
    [...sentAt.keys()],
  ]);
  return rows.map((row) => row.finished_at.getTime() - sentAt.get(row.id)).toSorted((a, b) => a - b);
}

const residentMb = async ({ child }) => {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => 'VmRSS: 0 kB');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024);
};
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

try {
  await burst(10); // Warms up.
  const results = { 10: [], 50: [] };
  const latencies = [];
  for (let round = 1; round <= rounds; round++) {
    for (const connections of [10, 50]) {
      const result = await burst(connections);
      results[connections].push(result);
      console.log(
        `round ${round}, ${connections} connections: ${result.acks.toFixed(0)} acks/s (p50 ${result.p50} ms, p99 ${result.p99} ms), ${result.runs.toFixed(0)} completed runs/s`,
      );
    }
    latencies.push(...(await lowLoad(100)));
  }
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)];
  console.log(`Medians of ${rounds}, ${calls} calls over ${WORKFLOWS} workflows:`);
  for (const [connections, list] of Object.entries(results))
    console.log(
      `  ${connections} connections: ${median(list.map((one) => one.acks)).toFixed(0)} acks/s (bar: 500), ${median(list.map((one) => one.runs)).toFixed(0)} completed runs/s (bar: 200)`,
    );
  console.log(`  trigger to completion at low load: p50 ${at(0.5)} ms (bar: 50), p95 ${at(0.95)} ms`);
  console.log(`  resident memory: api ${await residentMb(api)} MB, workflow-runner ${await residentMb(runner)} MB`);
} finally {
  for (const { child } of [api, runner]) {
    child.removeAllListeners('exit');
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
  await dataSource.destroy();
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  await rm(folder, { recursive: true, force: true });
}
