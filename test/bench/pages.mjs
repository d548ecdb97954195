// From opening the address of a page to its last number in Chromium: 8 queries over 100,000 rows, after a refresh and with
// results that are kept, beside DuckDB alone; then 50 viewers at once. Needs a build, a Chromium, TEST_DATABASE_URL and
// TEST_REDIS_URL.
//   node test/bench/pages.mjs [rounds=20]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { Client } from 'pg';
import { chromium } from 'playwright-core';
import { createDataSource, runMigrations } from '@app/entities';

const rounds = Number(process.argv[2] ?? 20);
const { TEST_DATABASE_URL, TEST_REDIS_URL, ATRIUM_CHROMIUM = '/usr/bin/chromium' } = process.env;
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
const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
const secretsKey = randomBytes(32).toString('base64');

async function start(app) {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    REDIS_URL: TEST_REDIS_URL,
    REDIS_KEY_PREFIX: name,
    SECRETS_KEY: secretsKey,
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
  return { ...ready, stop };
}

const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1];
const told = (times) => `p50 ${Math.round(quantile(times, 0.5))} ms, p95 ${Math.round(quantile(times, 0.95))} ms`;

const csvPath = join(folder, 'trips.csv');
const lines = ['trip,city,km,paid,day'];
for (let row = 0; row < 100_000; row += 1)
  lines.push(
    `${row},c${row % 40},${(row * 7919) % 1000},${row % 3 > 0},2025-${String((row % 12) + 1).padStart(2, '0')}-01`,
  );
await writeFile(csvPath, lines.join('\n'));

const SQL = [
  'SELECT count(*) AS n FROM trips',
  'SELECT sum(km) AS n FROM trips',
  'SELECT city, count(*) AS n FROM trips GROUP BY city ORDER BY n DESC, city LIMIT 10',
  'SELECT day, sum(km) AS n FROM trips GROUP BY day ORDER BY day',
  'SELECT paid, avg(km) AS n FROM trips GROUP BY paid ORDER BY paid',
  'SELECT city, day, max(km) AS n FROM trips GROUP BY city, day ORDER BY city, day',
  'SELECT median(km) AS n FROM trips',
  'SELECT count(DISTINCT km) AS n FROM trips WHERE paid',
];
const html = `<p id="last"></p><script>
Promise.all(${JSON.stringify(SQL.map((_, place) => `q${place}`))}.map((name) => atrium.query(name))).then((all) => {
  document.getElementById('last').textContent = all.map(({ rows }) => rows.length).join();
  document.body.dataset.done = 'yes';
}, (error) => { document.body.dataset.done = error.code; });
</script>`;

const [api, indexer] = [await start('api'), await start('indexer')];
const base = `http://127.0.0.1:${api.port}`;
const send = async (path, body, token, method = 'POST') => {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Token ${token}` }) },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  });
  return response.json();
};
const account = { username: 'bench', password: 'a password for the bench' };
await send('/api/v1/users/', { ...account, email: 'bench@test.example' });
const { auth_token: token } = await send('/api/v1/token/login/', account);
const form = new FormData();
form.append('path', new File([lines.join('\n')], 'trips.csv'), 'trips.csv');
const uploaded = await fetch(`${base}/database-search/upload/`, {
  method: 'POST',
  headers: { authorization: `Token ${token}` },
  body: form,
});
const { uid } = await uploaded.json();
for (let state = ''; state !== 'completed'; await sleep(200))
  ({ processing_state: state } = await send(`/database-search/documents/${uid}/`, null, token, 'GET'));
const document = await send(`/database-search/documents/${uid}/`, null, token, 'GET');
const table = document.tables[0].name;
const sql = SQL.map((text) => text.replace('FROM trips', `FROM "${table}"`));

const id = '01900000-0000-7000-8000-000000000001';
await dataSource.query(
  `INSERT INTO artifacts (id, owner_id, title, kind, version) SELECT $1, id, 'Bench', 'page', 1 FROM users WHERE username = 'bench'`,
  [id],
);
await dataSource.query(
  `INSERT INTO artifact_versions (artifact_id, version, title, html, queries, sources) VALUES ($1, 1, 'Bench', $2, $3, '{}')`,
  [
    id,
    html,
    JSON.stringify(sql.map((text, place) => ({ name: `q${place}`, sourceRef: `file:${uid}`, sql: text, params: [] }))),
  ],
);

const database = await (await DuckDBInstance.create(':memory:')).connect();
await database.run(`CREATE TABLE "${table}" AS SELECT * FROM read_csv('${csvPath}')`);
const alone = [];
for (let round = 0; round < rounds; round += 1) {
  const started = performance.now();
  for (const text of sql) await database.runAndReadAll(text);
  alone.push(performance.now() - started);
}

const browser = await chromium.launch({ executablePath: ATRIUM_CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage();
async function render() {
  const { url } = await send(`/microservices/artifacts/${id}/render-url/`, {}, token);
  const started = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  for (;;) {
    const inner = page.frames().find((frame) => frame.url() === 'about:srcdoc');
    const state = await inner?.evaluate('document.body?.dataset.done').catch(() => undefined);
    if (state === 'yes') return performance.now() - started;
    if (state) throw new Error(state);
    await sleep(5);
  }
}
await render();
const first = [];
const cached = [];
for (let round = 0; round < rounds; round += 1) {
  await send(`/microservices/artifacts/${id}/refresh/`, {}, token);
  first.push(await render());
  cached.push(await render());
}
await browser.close();

const { token: viewerToken } = await send(`/microservices/artifacts/${id}/render-url/`, {}, token);
await send(`/microservices/artifacts/${id}/refresh/`, {}, token);
const queries = sql.map((_, place) => ({ name: `q${place}` }));
const viewers = await Promise.all(
  Array.from({ length: 50 }, async () => {
    const started = performance.now();
    const answer = await fetch(`http://127.0.0.1:${api.pagesPort}/artifacts/${id}/data/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-viewer-token': viewerToken },
      body: JSON.stringify({ queries }),
    });
    const { results } = await answer.json();
    return { took: performance.now() - started, asOf: results.map((result) => result.as_of).join() };
  }),
);

console.log(`DuckDB alone, 8 queries:            ${told(alone)}`);
console.log(`render to last number, first:       ${told(first)}   (bar: p95 1500 ms)`);
console.log(`render to last number, kept:        ${told(cached)}   (bar: p95 300 ms)`);
console.log(
  `50 viewers after one refresh:       ${told(viewers.map(({ took }) => took))}; different answers: ${new Set(viewers.map(({ asOf }) => asOf)).size}   (bar: 1)`,
);

await Promise.all([api.stop(), indexer.stop()]);
await dataSource.destroy();
await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
await admin.end();
await rm(folder, { recursive: true, force: true });
