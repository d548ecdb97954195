// Values that rules read without a model, from generated documents of twenty-five layouts: ten that the rules were tuned on, ten
// that were held out, five that came after; and ten single documents. PDF by Chromium, some of them as pictures.
//   npm run bench -- extraction-rules [layout ...] [--of 10] [--show]
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractByRules } from '@app/extraction/kit';
import { launchChromium } from './support/browser-pdf.mjs';
import { COLUMNS, ITEM_COLUMNS } from './corpora/extraction/columns.mjs';
import { FRESH } from './corpora/extraction/layouts-fresh.mjs';
import { HELD_OUT } from './corpora/extraction/layouts-held-out.mjs';
import { TUNED } from './corpora/extraction/layouts-tuned.mjs';
import { SINGLE } from './corpora/extraction/single-documents.mjs';
import { makeData } from './corpora/extraction/made-data.mjs';
import { Bars } from './support/figures.mjs';

const { DocumentExtractor } = await import('../../apps/indexer/dist/pipeline/document-extractor.js');
const childEntry = fileURLToPath(new URL('../../apps/indexer/dist/pipeline/child/main.js', import.meta.url));

const args = process.argv.slice(2);
const show = args.includes('--show');
const of = args.includes('--of') ? Number(args[args.indexOf('--of') + 1]) : 10;
const names = args.filter((arg, at) => !arg.startsWith('--') && args[at - 1] !== '--of');
const chosen = (layouts) =>
  layouts.filter(
    ({ name }) =>
      names.length === 0 || names.includes(name) || (names.includes('tuned') && TUNED.some((one) => one.name === name)),
  );

const browser = await launchChromium();
const tab = await browser.newPage({ viewport: { width: 794, height: 1123 }, deviceScaleFactor: 2.2 });
const folder = await mkdtemp(join(tmpdir(), 'atrium-rules-'));
const extractor = new DocumentExtractor({ childEntry });

async function pagesOf(html, picture) {
  await tab.setContent(html);
  const path = join(folder, picture ? 'page.png' : 'page.pdf');
  if (picture) await tab.screenshot({ path });
  else
    await writeFile(
      path,
      await tab.pdf({ format: 'A4', margin: { top: '50px', bottom: '50px', left: '50px', right: '50px' } }),
    );
  const pages = [];
  await extractor.readPages({
    path,
    kind: picture ? 'png' : 'pdf',
    ocr: true,
    onPage: (page) => void pages.push(page),
  });
  return pages;
}

const same = (value, truth) =>
  value === truth ||
  (typeof value === 'string' && typeof truth === 'string' && value.replace(/\s+/g, ' ') === truth.replace(/\s+/g, ' '));

function score(figures, label, result, truth, where, bare = false) {
  const { value, evidence } = result;
  const either = truth !== null && typeof truth === 'object';
  const wanted = either ? truth.maybe : truth;
  if (!either && wanted !== null) figures.asked += 1;
  if (value === null) {
    if (!either && wanted !== null) {
      figures.blank += 1;
      if (show) console.log(`  blank ${where} ${label}: wanted ${wanted} (${evidence.reason})`);
    }
    return;
  }
  figures.given += 1;
  const proven = evidence.quote !== '' && (bare || evidence.spans.length > 0);
  if (same(value, wanted) && proven) {
    if (!either) figures.right += 1;
    else figures.maybe += 1;
    return;
  }
  figures.wrong += 1;
  console.log(
    `  WRONG ${where} ${label}: ${JSON.stringify(value)} from ${JSON.stringify(evidence.quote)}, wanted ${JSON.stringify(wanted)}`,
  );
}

const empty = () => ({ documents: 0, asked: 0, given: 0, right: 0, maybe: 0, wrong: 0, blank: 0 });
const add = (a, b) => Object.fromEntries(Object.keys(a).map((key) => [key, a[key] + b[key]]));
const line = (name, f) =>
  `${name.padEnd(16)} ${String(f.documents).padStart(4)} documents  precision ${((f.right + f.maybe) / Math.max(1, f.given)).toFixed(4)}  recall ${(f.right / Math.max(1, f.asked)).toFixed(4)}  (${f.asked} asked, ${f.given} given, ${f.wrong} wrong)`;

async function measure(layout, index) {
  const values = empty();
  const items = empty();
  for (let n = 0; n < of; n += 1) {
    const data = makeData(index * 1000 + n, layout.language, { items: 2 + (n % 4) });
    const { html, truth, items: lines } = layout.make(data);
    const pages = await pagesOf(html, n < (layout.scans ?? 0));
    const where = `${layout.name}#${n}`;
    const [row] = extractByRules({ pages, columns: COLUMNS[layout.kind], rowMode: 'document' });
    values.documents += 1;
    for (const [name, wanted] of Object.entries(truth)) score(values, name, row[name], wanted, where);
    if (lines === undefined) continue;
    items.documents += 1;
    const rows = extractByRules({ pages, columns: ITEM_COLUMNS, rowMode: 'items' });
    if (rows.length !== lines.length && show) console.log(`  ${where}: ${rows.length} items, wanted ${lines.length}`);
    for (let at = 0; at < Math.max(rows.length, lines.length); at += 1)
      for (const { name } of ITEM_COLUMNS)
        if (rows[at] === undefined) {
          items.asked += 1;
          items.blank += 1;
        } else score(items, name, rows[at][name], lines[at]?.[name] ?? null, `${where} item ${at + 1}`);
  }
  return { values, items };
}

/** A document that stands for itself. */
async function measureSingle({ name, html, text, columns, items }) {
  const values = empty();
  const cells = empty();
  const pages = html === undefined ? [{ number: 1, text, ocr: false }] : await pagesOf(html, false);
  const [row] = extractByRules({ pages, columns: columns.map(([one]) => one), rowMode: 'document' });
  values.documents += 1;
  for (const [one, truth] of columns) score(values, one.name, row[one.name], truth, name, html === undefined);
  if (items !== undefined) {
    cells.documents += 1;
    const rows = extractByRules({ pages, columns: items.columns, rowMode: 'items' });
    if (rows.length !== items.rows.length && show)
      console.log(`  ${name}: ${rows.length} items, wanted ${items.rows.length}`);
    for (let at = 0; at < Math.max(rows.length, items.rows.length); at += 1)
      for (const [index, one] of items.columns.entries())
        if (rows[at] === undefined) {
          cells.asked += 1;
          cells.blank += 1;
        } else
          score(
            cells,
            one.name,
            rows[at][one.name],
            items.rows[at]?.[index] ?? null,
            `${name} item ${at + 1}`,
            html === undefined,
          );
  }
  return { values, items: cells };
}

const bars = new Bars();
try {
  for (const [group, layouts] of [
    ['tuned', chosen(TUNED)],
    ['held out', chosen(HELD_OUT)],
    ['fresh', chosen(FRESH)],
    ['single', chosen(SINGLE)],
  ]) {
    let [all, allItems] = [empty(), empty()];
    for (const layout of layouts) {
      const index = [...TUNED, ...HELD_OUT, ...FRESH].indexOf(layout) + 1;
      const { values, items } = await (group === 'single' ? measureSingle(layout) : measure(layout, index));
      console.log(line(layout.name, values));
      if (items.documents > 0) console.log(line('  its items', items));
      all = add(all, values);
      allItems = add(allItems, items);
    }
    if (layouts.length === 0) continue;
    console.log(line(`= ${group}`, all));
    console.log(line(`= ${group}, items`, allItems));
    const precision = (all.right + all.maybe) / Math.max(1, all.given);
    const recall = all.right / Math.max(1, all.asked);
    bars.check(`${group}, precision`, `${precision.toFixed(4)} (>= 0.98)`, precision >= 0.98);
    bars.check(`${group}, recall`, `${recall.toFixed(4)} (>= 0.90)`, recall >= 0.9);
  }
} finally {
  extractor.close();
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
bars.finish();
