// The 8 queries of a page over a file of 100,000 rows, in one run of the query process, beside DuckDB alone within this
// process. Needs a build and nothing else.
//   node test/bench/page-queries.mjs [rows=100000] [rounds=40]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { QueryRunner } from '@app/tabular';
import { spread } from './support/figures.mjs';

const [rows = 100_000, rounds = 40] = process.argv.slice(2).map(Number);
const text = (name, value) => ({ name, type: 'text', value });
const date = (name, value) => ({ name, type: 'date', value });
const QUERIES = [
  ['SELECT count(*), sum(fare), avg(distance) FROM trips'],
  ['SELECT city, count(*) AS trips, sum(fare) AS fare FROM trips GROUP BY city ORDER BY fare DESC'],
  [`SELECT date_trunc('month', day) AS month, sum(fare) FROM trips WHERE city = :city GROUP BY 1 ORDER BY 1`, text('city', 'city 3')],
  ['SELECT driver, sum(fare) AS fare FROM trips WHERE day >= :since GROUP BY driver ORDER BY fare DESC LIMIT 20', date('since', '2025-06-01')],
  ['SELECT hour, avg(fare), quantile_cont(fare, 0.95) FROM trips GROUP BY hour ORDER BY hour'],
  ['SELECT paid, count(*) FROM trips WHERE contains(city, :part) GROUP BY paid', text('part', '1')],
  ['SELECT day, sum(sum(fare)) OVER (ORDER BY day) FROM trips GROUP BY day ORDER BY day'],
  ['SELECT * FROM trips WHERE city = :city ORDER BY fare DESC LIMIT 200', text('city', 'city 7')],
]; // oxfmt-ignore

const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
const path = join(folder, 'trips.duckdb');
const instance = await DuckDBInstance.create(path);
const made = await instance.connect();
await made.run(`CREATE TABLE trips AS SELECT i AS id, 'city ' || (i * 7919 % 20) AS city, 'driver ' || (i * 104729 % 500) AS driver,
  DATE '2025-01-01' + (i % 365)::INT AS day, (i * 31 % 24)::BIGINT AS hour, (i * 7919 % 10000) / 100.0::DOUBLE AS fare,
  (i * 13 % 300) / 10.0::DOUBLE AS distance, i % 3 > 0 AS paid FROM range(${rows}) t(i)`);
made.closeSync();
// Nobody else opens it before.
instance.closeSync();

/** Opened anew each time, as the process does it. */
async function alone() {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  await connection.run(`ATTACH '${path}' AS f (READ_ONLY)`);
  await connection.run('USE f');
  for (const [sql, parameter] of QUERIES) {
    const values = parameter ? { [parameter.name]: parameter.value } : {};
    const bound = sql.replaceAll(/:(\w+)/g, (_, name) => (parameter.type === 'date' ? `$${name}::DATE` : `$${name}`));
    await connection.runAndReadAll(bound, values);
  }
  connection.closeSync();
}

const scopes = [[{ path, tables: [{ name: 'trips', alias: 'trips' }] }]];
const statements = QUERIES.map(([sql, ...parameters]) => ({ scope: 0, sql, parameters }));
async function together(runner) {
  const outcomes = await runner.runEach({ scopes, statements });
  const failed = outcomes.find((outcome) => 'error' in outcome);
  if (failed) throw new Error(failed.error.message);
}

async function measure(work) {
  const found = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await work();
    found.push(performance.now() - started);
    // The next process loads meanwhile, as it does between two people.
    await sleep(250);
  }
  return spread(found);
}

const warm = new QueryRunner();
await together(warm);
await sleep(500);
console.log(`${QUERIES.length} queries over ${rows} rows, ${rounds} rounds:`);
console.log(`  DuckDB alone: ${await measure(alone)}`);
console.log(`  one run, its process waiting: ${await measure(() => together(warm))}`);
warm.onModuleDestroy();
const cold = async () => {
  const runner = new QueryRunner();
  await together(runner);
  runner.onModuleDestroy();
};
console.log(`  one run, its process started for it: ${await measure(cold)}`);
await rm(folder, { recursive: true });
