// From upload to searchable, in bulk, through the built api and indexer.
//   npm run bench -- ingestion [--pdfs <folder>] [--rounds 3] [--notes 5000] [--text 30]
// `--pdfs` are born-digital PDFs, read against the PDF library alone; `--notes` so many small Markdown files in batches of
// 50 into one folder; `--text` one text file of so many MB.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars, megabytes, quantile, seededRandom, watchMemory } from './support/figures.mjs';

const { values: options } = parseArgs({
  options: {
    pdfs: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    notes: { type: 'string', default: '5000' },
    text: { type: 'string', default: '30' },
  },
});
const BATCH = 50;
const MOST_MEMORY = 1.5 * 1024 ** 3;
/** Each file so often per round: long enough for a rate. */
const COPIES = 4;
const MOST_AT_ONCE_BYTES = 60_000_000;

const random = seededRandom(3);
const words = Array.from({ length: 5000 }, (_, at) => `${'bcdfglmnprst'[at % 12]}${'aeiou'[at % 5]}${at.toString(36)}`);
const sentence = () =>
  `${Array.from({ length: 12 }, () => words[Math.floor(words.length * random() ** 2)]).join(' ')}.`;

const deployment = await startDeployment();
const indexer = deployment.apps.find(({ app }) => app === 'indexer');
const client = await deployment.signUp();
const bars = new Bars();
const memory = watchMemory(indexer.pid);

/** @returns {Promise<{ seconds: number, states: Map<string, object> }>} */
async function ingest(files, folder) {
  const started = performance.now();
  const uids = [];
  const batches = [];
  for (const file of files) {
    const open = batches.at(-1);
    const size = open?.reduce((sum, each) => sum + each.size, 0) ?? 0;
    if (open && open.length < BATCH && size + file.size < MOST_AT_ONCE_BYTES) open.push(file);
    else batches.push([file]);
  }
  const work = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift())
      uids.push(...(await client.uploadBatch(batch, { folder })).map(({ uid }) => uid));
  };
  await Promise.all([work(), work()]);
  const states = await client.settled(uids, { everyMs: 100 });
  return { seconds: (performance.now() - started) / 1000, states };
}

function alone(files) {
  const program = fileURLToPath(new URL('./support/pdfium-alone.mjs', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [program, 'text', ...files], { encoding: 'utf8' }));
}

async function pdfs(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pdf'));
  // Those that the library alone can read, and that hold some text: no scans, nothing broken.
  const bornDigital = names.filter((name) => /^(policy|fhs|office-handbook)/.test(name));
  const paths = (bornDigital.length > 0 ? bornDigital : names).map((name) => join(folder, name));
  const all = Array.from({ length: COPIES }, () => paths).flat();
  const ratios = [];
  for (let round = 0; round <= Number(options.rounds); round++) {
    const library = alone(all);
    const { seconds, states } = await ingest(
      all.map((path, at) => new File([readFileSync(path)], `${at}-${basename(path)}`)),
      `pdf-${round}`,
    );
    const failed = [...states.values()].filter(({ processing_state: state }) => state !== 'completed');
    if (failed.length > 0) throw new Error(failed[0].last_error);
    if (round === 0) continue;
    ratios.push(library.pages / seconds / library.rate);
    console.log(
      `${library.pages} pages: the library alone ${library.rate.toFixed(0)}/s, the whole pipeline ${(library.pages / seconds).toFixed(0)}/s`,
    );
  }
  const ratio = quantile(ratios, 0.5);
  bars.check(
    'page rate of PDFs >= 60 % of the library alone',
    `${(100 * ratio).toFixed(0)} % (median of ${ratios.length})`,
    ratio >= 0.6,
  );
}

async function notes(count) {
  const files = Array.from({ length: count }, (_, at) => {
    const body = Array.from({ length: 6 }, () => `## ${sentence()}\n\n${sentence()} ${sentence()}\n`).join('\n');
    return new File([`# Note ${at}\n\n${body}`], `note-${at}.md`);
  });
  const { seconds, states } = await ingest(files, 'notes');
  const completed = [...states.values()].filter(({ processing_state: state }) => state === 'completed').length;
  bars.check(
    'small Markdown files completed',
    `${completed} of ${count} in ${seconds.toFixed(0)} s (${(count / seconds).toFixed(0)}/s)`,
    completed === count,
  );
}

async function longText(megabytesOfText) {
  const parts = [];
  for (let size = 0; size < megabytesOfText * 1_048_576; size += parts.at(-1).length)
    parts.push(`${Array.from({ length: 8 }, sentence).join(' ')}\n\n`);
  const { seconds, states } = await ingest([new File(parts, 'long.txt')], 'long');
  const [{ processing_state: state, last_error: error, uid }] = states.values();
  const [{ chunks }] = await deployment.dataSource.query(
    'SELECT chunk_count AS chunks FROM document_indexes WHERE document_uid = $1',
    [uid],
  );
  bars.check(
    `a text file of ${megabytesOfText} MB`,
    `${state} in ${seconds.toFixed(1)} s, ${chunks} chunks. ${error}`,
    state === 'completed',
  );
}

try {
  await ingest([new File(['The kettle is in the kitchen.'], 'warm-up.txt')], '');
  if (options.pdfs) await pdfs(options.pdfs);
  if (Number(options.notes) > 0) await notes(Number(options.notes));
  if (Number(options.text) > 0) await longText(Number(options.text));
  memory.stop();
  bars.check(
    'memory of the indexer and its children < 1.5 GB',
    `at most ${megabytes(memory.peak)}`,
    memory.peak < MOST_MEMORY,
  );
  bars.check(
    'no process ended',
    deployment.apps.map(({ app, ended }) => `${app} ${ended ? 'ended' : 'lives'}`).join(', '),
    !deployment.apps.some(({ ended }) => ended),
  );
} finally {
  memory.stop();
  await deployment.stop();
}
bars.finish();
