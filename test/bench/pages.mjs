// From opening the address of a page to its last number in Chromium: 8 queries over 100,000 rows, after a refresh and with
// results that are kept, beside DuckDB alone; then 50 viewers at once. Needs a build, a Chromium, TEST_DATABASE_URL and
// TEST_REDIS_URL.
//   node test/bench/pages.mjs [rounds=40]
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { chromium } from 'playwright-core';
import { startDeployment } from './support/deployment.mjs';
import { Bars, quantile, spread } from './support/figures.mjs';

const rounds = Number(process.argv[2] ?? 40);
const { ATRIUM_CHROMIUM = '/usr/bin/chromium' } = process.env;
const deployment = await startDeployment();
const { dataSource, folder } = deployment;

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

const client = await deployment.signUp('bench');
const form = new FormData();
form.append('path', new File([lines.join('\n')], 'trips.csv'), 'trips.csv');
const uploaded = await fetch(`${client.base}/database-search/upload/`, {
  method: 'POST',
  headers: client.headers,
  body: form,
});
const path = `/database-search/documents/${(await uploaded.json()).uid}/`;
let document = await client.json('GET', path);
for (; document.processing_state !== 'completed'; await sleep(200)) document = await client.json('GET', path);
const { uid } = document;
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
  const { url } = await client.json('POST', `/microservices/artifacts/${id}/render-url/`, {});
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
  await client.json('POST', `/microservices/artifacts/${id}/refresh/`, {});
  first.push(await render());
  cached.push(await render());
}
await browser.close();

const { token, url } = await client.json('POST', `/microservices/artifacts/${id}/render-url/`, {});
await client.json('POST', `/microservices/artifacts/${id}/refresh/`, {});
const queries = sql.map((_, place) => ({ name: `q${place}` }));
const viewers = await Promise.all(
  Array.from({ length: 50 }, async () => {
    const started = performance.now();
    const answer = await fetch(new URL('../data/', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-viewer-token': token },
      body: JSON.stringify({ queries }),
    });
    const { results } = await answer.json();
    return { took: performance.now() - started, asOf: results.map((result) => result.as_of).join() };
  }),
);

const bars = new Bars();
console.log(`DuckDB alone, 8 queries: ${spread(alone)}`);
bars.check('render to last number, first, p95 <= 1500 ms', spread(first), quantile(first, 0.95) <= 1500);
bars.check('render to last number, kept, p95 <= 300 ms', spread(cached), quantile(cached, 0.95) <= 300);
const answers = new Set(viewers.map(({ asOf }) => asOf)).size;
bars.check(
  '50 viewers after one refresh: one answer',
  `${answers} in ${spread(viewers.map(({ took }) => took))}`,
  answers === 1,
);

await deployment.stop();
bars.finish();
