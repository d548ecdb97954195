// CPU per request of an authenticated GET /users/me/ against the same JSON from a bare Nest route, in alternated runs
// of separate processes, with plans sold here. Needs a build and TEST_DATABASE_URL, TEST_REDIS_URL (`npm test` prints how to get them).
//   node test/bench/users-me.mjs [rounds=7] [seconds=4]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { Client } from 'pg';
import { createDataSource, runMigrations } from '@app/entities';

const [rounds, seconds] = [Number(process.argv[2] ?? 7), Number(process.argv[3] ?? 4)];
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

async function start(file, env) {
  const path = fileURLToPath(new URL(`./users-me/${file}`, import.meta.url));
  const child = fork(path, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [{ port }] = await once(child, 'message');
  const cpu = async () => {
    const answer = once(child, 'message');
    child.send('cpu');
    return (await answer)[0].cpu;
  };
  return { child, cpu, base: `http://127.0.0.1:${port}` };
}

async function measure(server, path, headers) {
  const before = await server.cpu();
  const result = await autocannon({ url: server.base + path, headers, connections: 20, duration: seconds, timeout: 2 });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were not 200, ${result.errors} never came`);
  const requests = result.requests.total;
  return { cpu: ((await server.cpu()) - before) / requests, rate: requests / result.duration };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const ours = await start('atrium-api.mjs', {
  DATABASE_URL: databaseUrl,
  REDIS_URL: TEST_REDIS_URL,
  REDIS_KEY_PREFIX: name,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  BCRYPT_COST: '4',
  // With plans sold and demanded, so that each call passes their gates.
  BILLING: 'test',
  PLAN_REQUIRED: 'true',
  FEATURE_GATE: 'true',
  SUBSCRIPTION_ENFORCEMENT: 'true',
  STORAGE_DIR: '/tmp/atrium-bench',
  // Limits are on, but high: a caller past a quarter of its limit also waits for Redis, which is not measured here.
  RATE_LIMIT_PER_USER: '10000000',
});
const post = async (path, body) => {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(ours.base + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
};
const account = { username: 'bench', email: 'bench@mail.example', password: 'kite-over-hill' };
await post('/api/v1/users/', account);
const headers = { authorization: `Token ${(await post('/api/v1/token/login/', account)).auth_token}` };
const body = await (await fetch(`${ours.base}/users/me/`, { headers })).text();
const bare = await start('bare-api.mjs', { BENCH_BODY: body });

const runs = { bare: [], ours: [] };
for (let round = 0; round <= rounds; round++) {
  const one = await measure(bare, '/users/me', headers);
  const other = await measure(ours, '/users/me/', headers);
  if (round === 0) continue; // The first round warms up both.
  runs.bare.push(one);
  runs.ours.push(other);
  console.log(
    `round ${round}: bare ${one.cpu.toFixed(0)} µs, ours ${other.cpu.toFixed(0)} µs, ratio ${(other.cpu / one.cpu).toFixed(2)}`,
  );
}
const [a, b] = [median(runs.bare.map((run) => run.cpu)), median(runs.ours.map((run) => run.cpu))];
console.log(
  `CPU per request, median of ${rounds}: bare ${a.toFixed(0)} µs, ours ${b.toFixed(0)} µs, ratio ${(b / a).toFixed(2)} (bar: 2.00)`,
);
console.log(
  `requests per second: bare ${median(runs.bare.map((run) => run.rate)).toFixed(0)}, ours ${median(runs.ours.map((run) => run.rate)).toFixed(0)}`,
);
for (const { child } of [ours, bare]) child.disconnect();
await Promise.all([once(ours.child, 'exit'), once(bare.child, 'exit')]);
await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
await admin.end();
