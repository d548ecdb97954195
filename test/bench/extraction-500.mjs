// 500 small documents into one table, by rules, beside reading the same files alone.
//   npm run bench -- extraction-500 [--documents 500] [--kind pdf|txt]
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars, megabytes, seededRandom, watchMemory } from './support/figures.mjs';

const { DocumentExtractor } = await import('../../apps/indexer/dist/pipeline/document-extractor.js');
const { values: options } = parseArgs({
  options: { documents: { type: 'string', default: '500' }, kind: { type: 'string', default: 'txt' } },
});
const DOCUMENTS = Number(options.documents);
const TABLES = '/microservices/data-extractor';
const COLUMNS = [
  { name: 'Invoice number' },
  { name: 'Invoice date', format: 'date' },
  { name: 'Customer' },
  { name: 'Due date', format: 'date' },
  { name: 'Total', output_type: 'number', format: 'currency' },
];

const random = seededRandom(7);
const day = () => `${1 + Math.floor(random() * 28)}`.padStart(2, '0');
function invoiceText(number) {
  const lines = [
    `Invoice number: INV-${10_000 + number}`,
    `Invoice date: 2024-0${1 + Math.floor(random() * 9)}-${day()}`,
    `Customer: Customer ${Math.floor(random() * 900)} Ltd`,
    `Due date: 2025-0${1 + Math.floor(random() * 9)}-${day()}`,
    ...Array.from({ length: 12 }, (_, at) => `Item ${at + 1}, delivered as ordered`),
    `Total: ${(random() * 9_000).toFixed(2)} EUR`,
  ];
  return lines.join('\n');
}

/** One page of plain text, as a PDF of its own. */
function toPdf(text) {
  const show = text.split('\n').map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`);
  const stream = `BT /F1 11 Tf 14 TL 60 780 Td ${show.join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return `${file}xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}

const texts = Array.from({ length: DOCUMENTS }, (_, at) => invoiceText(at));
const contents = options.kind === 'pdf' ? texts.map(toPdf) : texts;

/** As the indexer reads, two at a time, and nothing else. */
async function readAlone() {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  const paths = contents.map((_, at) => join(folder, `${at}.${options.kind}`));
  for (const [at, path] of paths.entries()) await writeFile(path, contents[at]);
  const childEntry = fileURLToPath(new URL('../../apps/indexer/dist/pipeline/child/main.js', import.meta.url));
  const extractor = new DocumentExtractor({ childEntry, concurrency: 2 });
  const kind = options.kind === 'pdf' ? 'pdf' : 'text';
  const started = performance.now();
  const read = async () => {
    for (let path = paths.shift(); path; path = paths.shift())
      await extractor.readPages({ path, kind, ocr: false, onPage: () => undefined });
  };
  await Promise.all([read(), read()]);
  const seconds = (performance.now() - started) / 1000;
  extractor.close();
  await rm(folder, { recursive: true });
  return seconds;
}

const alone = await readAlone();
const deployment = await startDeployment();
const indexer = deployment.apps.find(({ app }) => app === 'indexer');
const client = await deployment.signUp();
const bars = new Bars();
const files = contents.map((content, at) => new File([content], `invoice-${at}.${options.kind}`));
const uids = [];
for (let at = 0; at < files.length; at += 50)
  uids.push(...(await client.uploadBatch(files.slice(at, at + 50))).map(({ uid }) => uid));
await client.settled(uids);

const { table_id: tableId } = await client.json('POST', `${TABLES}/create_table`, {
  table_name: 'Bench',
  columns: COLUMNS,
});
const memory = watchMemory(indexer.pid);
const started = performance.now();
const { extraction_id: id } = await client.json('POST', `${TABLES}/table/${tableId}/extract`, { document_uids: uids });
let extraction;
do {
  await new Promise((resolve) => setTimeout(resolve, 200));
  extraction = await client.json('GET', `${TABLES}/table/${tableId}/extractions/${id}`);
} while (extraction.state === 'accepted' || extraction.state === 'processing');
const seconds = (performance.now() - started) / 1000;
const { rows } = await client.json('GET', `${TABLES}/table/${tableId}`);
const filled = rows.flatMap(({ data }) => COLUMNS.map(({ name }) => data[name])).filter((value) => value !== null);

console.log(`reading ${DOCUMENTS} ${options.kind} files alone: ${alone.toFixed(1)} s`);
console.log(`extracting them into a table: ${seconds.toFixed(1)} s, ${(DOCUMENTS / seconds).toFixed(0)} documents/s`);
console.log(
  `${rows.length} rows, ${filled.length} of ${DOCUMENTS * COLUMNS.length} cells; memory of the indexer ${megabytes(memory.peak)}`,
);
memory.stop();
bars.check(
  'every document is a row',
  `${rows.length} rows, ${extraction.state}`,
  extraction.completed === DOCUMENTS && rows.length === DOCUMENTS,
);
await deployment.stop();
bars.finish();
