import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from '../lib/paths.mjs';
import { heading, say } from './print.mjs';

const BASE = '/microservices/data-extractor/';
const FOLDER = ['test', 'fixtures', 'documents', 'demo', 'invoices'];
const OVER = new Set(['completed', 'partial', 'failed', 'cancelled']);

/** Five invoices in five layouts become one table, and each value says where it stands. No model is needed for it. */
export async function extractInvoices(client) {
  heading('Make a table of five invoices: PDF, a scan, English and Arabic');
  const files = await readdir(inRoot(...FOLDER));
  const names = files.filter((name) => !name.endsWith('.json'));
  const columns = JSON.parse(await readFile(inRoot(...FOLDER, 'columns.json'), 'utf8'));
  const { table_id: table } = await client.post(`${BASE}create_table`, { table_name: 'Invoices', columns });
  const uids = [];
  for (const name of names.sort()) {
    const file = new File([await readFile(inRoot(...FOLDER, name))], name);
    const fields = { path: file, folder: 'Invoices', ocr: name.endsWith('.png') };
    uids.push((await client.upload('/semantic-search/upload/', fields)).uid);
  }
  // Files that are still being read are waited for.
  const { extraction_id: id } = await client.post(`${BASE}table/${table}/extract`, {
    document_uids: uids,
    mode: 'all',
  });
  await ended(client, `${BASE}table/${table}/extractions/${id}`);
  const { rows } = await client.get(`${BASE}table/${table}`);
  for (const { source_uid: source, filename, data } of rows.sort((a, b) => (a.filename < b.filename ? -1 : 1))) {
    say(`${filename}: ${columns.map(({ name }) => data[name] ?? '-').join(' | ')}`);
    const { result } = await client.get(`${BASE}table/${table}/highlights?source_uid=${source}`);
    for (const { column_name: column, quote, spans, score } of result.highlights)
      if (spans.length > 0) say(`  ${column}: page ${spans[0].page}, ${rectangle(spans[0].rect)}, ${score} “${quote}”`);
  }
  say(`As a workbook with its evidence: GET ${BASE}table/${table}/export`);
}

async function ended(client, path) {
  for (let told = ''; ;) {
    const { state, completed, failed, total, items } = await client.get(path);
    const now = `${state}, ${completed + failed} of ${total}`;
    if (now !== told) say(now);
    told = now;
    for (const { filename, state: of, last_error: why } of OVER.has(state) ? items : [])
      if (of === 'failed') say(`${filename}: ${why}`);
    if (OVER.has(state)) return;
    await sleep(200);
  }
}

/** Fractions of the page, from its top left. */
function rectangle(rect) {
  return `[${rect.map((side) => side.toFixed(3)).join(', ')}]`;
}
