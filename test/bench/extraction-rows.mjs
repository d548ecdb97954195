// A table of 100,000 rows over HTTP: replaced whole, paged, filtered, read whole and exported, and what the api holds for it.
//   npm run bench -- extraction-rows [--rows 100000]
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars, megabytes, watchMemory } from './support/figures.mjs';

const { values: options } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } });
const ROWS = Number(options.rows);
const MORE_MEMORY = 200 * 1_048_576;
const TABLES = '/microservices/data-extractor';
const COLUMNS = [
  { name: 'Number', output_type: 'number' },
  { name: 'Customer' },
  { name: 'Day', format: 'date' },
  { name: 'Total', output_type: 'number', format: 'currency' },
];
const rows = Array.from({ length: ROWS }, (_, at) => ({
  source_uid: `s${at}`,
  data: { Number: at, Customer: `Customer ${at % 997} Ltd`, Day: '2026-03-01', Total: at / 4 },
}));

const deployment = await startDeployment();
const api = deployment.apps.find(({ app }) => app === 'api');
const client = await deployment.signUp();
const bars = new Bars();
const { table_id: id } = await client.json('POST', `${TABLES}/create_table`, { table_name: 'Bench', columns: COLUMNS });

/** Reads an answer as it comes and keeps nothing of it. @returns its bytes */
async function drain(path) {
  const response = await client.send('GET', path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return bytes;
}

async function measure(what, work) {
  const memory = watchMemory(api.pid);
  const before = memory.last;
  const started = performance.now();
  const told = await work();
  const seconds = (performance.now() - started) / 1000;
  memory.stop();
  const more = memory.peak - before;
  console.log(
    `${what}: ${seconds.toFixed(2)} s, ${megabytes(more)} more memory${told === undefined ? '' : `, ${told}`}`,
  );
  bars.check(`${what}: < 200 MB more memory`, megabytes(more), more < MORE_MEMORY);
}

const count = async (query) => `${(await client.json('GET', `${TABLES}/table/${id}?${query}`)).rows.length} rows`;
await measure('replace all rows', async () => {
  const { existing_rows: there } = await client.json('PUT', `${TABLES}/update_table/${id}`, {
    rows,
    replace_rows: true,
  });
  return `${there} rows`;
});
await measure('a page of 100', () => count('limit=100'));
await measure('a filter that finds nothing', () => count('limit=100&query=nobody+is+called+this'));
await measure('a filter that finds much', () => count('limit=100&query=customer+99'));
await measure('the whole table', async () => megabytes(await drain(`${TABLES}/table/${id}`)));
await measure('export', async () => megabytes(await drain(`${TABLES}/table/${id}/export`)));
await deployment.stop();
bars.finish();
