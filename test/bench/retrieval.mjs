// Quality and speed of search on a test collection, over HTTP through the built api and indexer, with nothing
// configured but what is asked for here.
//   npm run bench:retrieval -- <folder> [--split test] [--embeddings builtin|<address ending in /v1> --model <name>]
// Cranfield's layout and BEIR's are read. The key of an endpoint is taken from EMBEDDINGS_API_KEY.
import { parseArgs } from 'node:util';
import { ndcg, readCollection } from './support/corpus.mjs';
import { startDeployment } from './support/deployment.mjs';
import { Bars, mean, quantile, spread } from './support/figures.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    split: { type: 'string', default: 'test' },
    embeddings: { type: 'string', default: 'off' },
    model: { type: 'string', default: 'text-embedding-3-small' },
  },
});
const [folder] = positionals;
if (!folder) throw new Error('Name the folder of a test collection.');

const BATCH = 50;
const UPLOADS_AT_ONCE = 2;
/** Several passages of a document may be found; the ranking of documents takes the best of each. */
const PASSAGES = 50;
const DEPTH = 10;

function encoder() {
  if (options.embeddings === 'off' || options.embeddings === 'builtin')
    return { EMBEDDINGS_PROVIDER: options.embeddings };
  return {
    EMBEDDINGS_PROVIDER: 'openai',
    EMBEDDINGS_BASE_URL: options.embeddings,
    EMBEDDINGS_MODEL: options.model,
    ...(process.env.EMBEDDINGS_API_KEY ? { EMBEDDINGS_API_KEY: process.env.EMBEDDINGS_API_KEY } : {}),
  };
}

/** @returns {Promise<Map<string, string>>} document id by uid */
async function ingest(client, documents) {
  const ids = new Map();
  const batches = [];
  // An empty abstract cannot be uploaded, nor found.
  const filled = documents.filter(({ text }) => text.trim() !== '');
  for (let at = 0; at < filled.length; at += BATCH) batches.push(filled.slice(at, at + BATCH));
  const work = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const files = batch.map(({ id, text }) => new File([text], `${id.replace(/[^\w.-]/g, '_')}.txt`));
      const results = await client.uploadBatch(files);
      for (const [at, { uid, reasons }] of results.entries()) {
        if (!uid) throw new Error(`${batch[at].id}: ${reasons.join(' ')}`);
        ids.set(uid, batch[at].id);
      }
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, work));
  const states = await client.settled([...ids.keys()]);
  for (const [uid, { processing_state: state, last_error: error }] of states)
    if (state !== 'completed') console.log(`${ids.get(uid)} is ${state}: ${error}`);
  return ids;
}

async function measure(client, mode, { questions, judged }, ids) {
  const [scores, times] = [[], []];
  for (const { id, text } of questions) {
    const started = performance.now();
    const { results } = await client.search({ query: text.slice(0, 1000), mode, limit: PASSAGES });
    times.push(performance.now() - started);
    const ranking = [...new Set(results.map(({ uid }) => ids.get(uid)))];
    scores.push(ndcg(ranking, judged.get(id), DEPTH));
  }
  console.log(`${mode}: nDCG@${DEPTH} ${mean(scores).toFixed(4)} over ${scores.length} questions; ${spread(times)}`);
  return { quality: mean(scores), p95: quantile(times, 0.95) };
}

const collection = await readCollection(folder, options.split);
const deployment = await startDeployment({ settings: encoder() });
const bars = new Bars();
try {
  const client = await deployment.signUp();
  const started = performance.now();
  const ids = await ingest(client, collection.documents);
  const seconds = (performance.now() - started) / 1000;
  console.log(`${ids.size} documents ingested in ${seconds.toFixed(1)} s (${(ids.size / seconds).toFixed(0)}/s)`);
  // The first searches meet empty caches and untried code.
  for (const { text } of collection.questions.slice(0, 10)) await client.search({ query: text.slice(0, 1000) });
  const keyword = await measure(client, 'keyword', collection, ids);
  bars.check('p95 of a search < 120 ms', `${keyword.p95.toFixed(1)} ms`, keyword.p95 < 120);
  if (/cranfield/i.test(folder)) bars.check('nDCG@10 >= 0.38', keyword.quality.toFixed(4), keyword.quality >= 0.38);
  if (options.embeddings !== 'off') {
    await measure(client, 'vector', collection, ids);
    const hybrid = await measure(client, 'hybrid', collection, ids);
    bars.check('hybrid >= keyword', hybrid.quality.toFixed(4), hybrid.quality >= keyword.quality);
  }
} finally {
  await deployment.stop();
}
bars.finish();
