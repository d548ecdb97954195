// Sign-ins against what bcrypt alone allows on this machine's cores, while others call GET /users/me/; and whether an
// unknown user takes as long as a wrong password. Needs a build and TEST_DATABASE_URL, TEST_REDIS_URL.
//   npm run bench -- login [rounds=5] [seconds=8]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { compare, hash } from 'bcrypt';
import { Client } from 'pg';
import { createDataSource, runMigrations } from '@app/entities';

const [rounds, seconds] = [Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 8)];
const COST = 11;
const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
const name = `atrium_bench_${randomBytes(4).toString('hex')}`;
const databaseUrl = Object.assign(new URL(TEST_DATABASE_URL), { pathname: `/${name}` }).toString();
const admin = new Client(TEST_DATABASE_URL);
await admin.connect();
await admin.query(`CREATE DATABASE ${name}`);
const options = { url: databaseUrl, poolSize: 2, connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
const dataSource = await createDataSource(options, 'bench').initialize();
await runMigrations(dataSource);
await dataSource.destroy();

const path = fileURLToPath(new URL('./users-me/atrium-api.mjs', import.meta.url));
const env = {
  PATH: process.env.PATH,
  DATABASE_URL: databaseUrl,
  REDIS_URL: TEST_REDIS_URL,
  REDIS_KEY_PREFIX: name,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  BCRYPT_COST: String(COST),
  MAIL_PROVIDER: 'off',
  STORAGE_DIR: '/tmp/atrium-bench',
  LOG_REQUESTS: 'false',
  // Ten a minute per account would end the measurement; the counting itself is measured by users-me.
  RATE_LIMITS: 'false',
};
const child = fork(path, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
const [{ port }] = await once(child, 'message');
const base = `http://127.0.0.1:${port}`;
const headers = { 'content-type': 'application/json' };
const post = (route, body) => fetch(base + route, { method: 'POST', headers, body: JSON.stringify(body) });

const account = { username: 'bench', email: 'bench@mail.example', password: 'kite-over-hill' };
await post('/api/v1/users/', account);
const { auth_token } = await (await post('/api/v1/token/login/', account)).json();

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Comparisons per second with all cores at work, in this process. */
async function bcryptAlone() {
  const hashed = await hash('kite-over-hill', COST);
  const end = Date.now() + seconds * 500;
  let done = 0;
  const began = process.hrtime.bigint();
  const worker = async () => {
    while (Date.now() < end) {
      await compare('kite-over-hill', hashed);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return done / (Number(process.hrtime.bigint() - began) / 1e9);
}

/** As many sign-ins at a time as a busy morning brings, beside ten calls a second of people who work. */
async function signIns() {
  const latencies = [];
  const done = new AbortController();
  const others = (async () => {
    while (!done.signal.aborted) {
      const began = performance.now();
      const answer = await fetch(`${base}/users/me/`, { headers: { authorization: `Token ${auth_token}` } });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`GET /users/me/ answered ${answer.status}`);
      latencies.push(performance.now() - began);
      await new Promise((resume) => setTimeout(resume, 20));
    }
  })();
  const { username, password } = account;
  const result = await autocannon({
    url: `${base}/api/v1/token/login/`,
    method: 'POST',
    headers,
    body: JSON.stringify({ username, password }),
    connections: 8,
    duration: seconds,
    timeout: 30,
  });
  done.abort();
  await others;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} sign-ins were refused`);
  const p95 = latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.95)];
  return { rate: result.requests.total / result.duration, p95 };
}

/** Milliseconds of a refused sign-in. */
async function refusal(username) {
  const began = performance.now();
  const answer = await post('/api/v1/token/login/', { username, password: 'wrong-password' });
  await answer.arrayBuffer();
  return performance.now() - began;
}

const runs = { alone: [], signIns: [], p95: [] };
for (let round = 1; round <= rounds; round++) {
  const alone = await bcryptAlone();
  const { rate, p95 } = await signIns();
  runs.alone.push(alone);
  runs.signIns.push(rate);
  runs.p95.push(p95);
  console.log(
    `round ${round}: bcrypt alone ${alone.toFixed(1)}/s, sign-ins ${rate.toFixed(1)}/s (${((rate / alone) * 100).toFixed(0)} %), /users/me/ p95 ${p95.toFixed(1)} ms`,
  );
}
const times = { unknown: [], wrong: [] };
for (let i = 0; i < 60; i++) {
  times.unknown.push(await refusal('nobody-at-all'));
  times.wrong.push(await refusal(account.username));
}
const share = median(runs.signIns.map((rate, round) => rate / runs.alone[round]));
console.log(`sign-ins, median of ${rounds}: ${(share * 100).toFixed(0)} % of bcrypt alone (bar: 85 %)`);
console.log(`GET /users/me/ meanwhile, median p95: ${median(runs.p95).toFixed(1)} ms (bar: 50 ms)`);
const [unknown, wrong] = [median(times.unknown), median(times.wrong)];
console.log(
  `refusals, median: unknown user ${unknown.toFixed(1)} ms, wrong password ${wrong.toFixed(1)} ms, ${(Math.abs(unknown / wrong - 1) * 100).toFixed(1)} % apart (bar: 10 %)`,
);
child.disconnect();
await once(child, 'exit');
await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
await admin.end();
