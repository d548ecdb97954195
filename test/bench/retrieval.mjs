/**
 * Quality and speed of search. After `npm run build`:
 *
 *   BENCH_DATABASE_URL=postgres://... node test/bench/retrieval.mjs [--chunks 50000] [--cranfield <folder>] [--builtin]
 *
 * Makes a database of its own beside the given one and drops it at the end. `--cranfield` names a folder with
 * cran.all.1400, cran.qry and cranqrel; `--builtin` measures hybrid search with the built-in encoder too.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDataSource, runMigrations } from '../../libs/entities/dist/index.js';
import { BuiltinEmbeddings, NoEmbeddings, NoReranker } from '../../libs/integrations/dist/index.js';
import { ChunkIndex, KeywordSearch, NameSearch, Retriever, VectorSearch } from '../../libs/retrieval/dist/index.js';

const { values: options } = parseArgs({
  options: {
    chunks: { type: 'string', default: '50000' },
    cranfield: { type: 'string', default: '' },
    builtin: { type: 'boolean', default: false },
  },
});
const server = process.env.BENCH_DATABASE_URL ?? process.env.TEST_DATABASE_URL;
if (!server) throw new Error('Set BENCH_DATABASE_URL to a Postgres on which databases may be created.');

const OWNER = 1;
let documents = 0;

async function addDocument(dataSource, index, chunks, vectors) {
  const uid = `00000000-0000-4000-8000-${String(++documents).padStart(12, '0')}`;
  await dataSource.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO documents (uid, owner_id, filename, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state, index_generation)
       VALUES ($1, $2, $3, $3, 'text', 'text/plain', 1, '', '', 'completed', 1)`,
      [uid, OWNER, `${documents}.txt`],
    );
    const rows = chunks.map((text, ordinal) => ({
      ordinal,
      page: ordinal + 1,
      start: 0,
      end: text.length,
      text,
      label: '',
      spans: [],
    }));
    await index.replace(tx, { documentUid: uid, ownerId: OWNER, generation: 1 }, rows, vectors);
  });
  return uid;
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

const settings = (url) => ({ url, poolSize: 4, statementTimeoutMs: 120_000 });

async function withDatabase(name, work) {
  const database = `atrium_bench_${name}_${process.pid}`;
  const admin = await createDataSource(settings(server), 'bench').initialize();
  await admin.query(`CREATE DATABASE ${database}`);
  const url = new URL(server);
  url.pathname = `/${database}`;
  const dataSource = await createDataSource(settings(url.toString()), 'bench').initialize();
  try {
    await runMigrations(dataSource);
    await dataSource.query(
      `INSERT INTO users (id, username, email) OVERRIDING SYSTEM VALUE VALUES (${OWNER}, 'bench', 'bench@example.org')`,
    );
    await work(dataSource);
  } finally {
    await dataSource.destroy();
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.destroy();
  }
}

// ---- speed: words drawn by Zipf's law, 50 passages of 200 words a document

function zipfWords(count) {
  const weights = Array.from({ length: count }, (_, i) => 1 / (i + 2.7));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  const limits = weights.map((weight) => (sum += weight / total));
  let seed = 42;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  return () => {
    const at = random();
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (limits[middle] < at) low = middle + 1;
      else high = middle;
    }
    return `w${low}x`;
  };
}

async function speed(total) {
  await withDatabase('speed', async (dataSource) => {
    const index = new ChunkIndex();
    const word = zipfWords(60_000);
    const started = performance.now();
    for (let made = 0; made < total; made += 50) {
      const chunks = Array.from({ length: 50 }, () => Array.from({ length: 200 }, word).join(' '));
      await addDocument(dataSource, index, chunks);
    }
    const seconds = (performance.now() - started) / 1000;
    await dataSource.query('VACUUM ANALYZE');
    const [{ size }] = await dataSource.query(
      `SELECT pg_size_pretty(pg_total_relation_size('chunks') + pg_total_relation_size('chunk_contents')) AS size`,
    );
    console.log(`indexed ${total} chunks in ${seconds.toFixed(1)} s (${(total / seconds).toFixed(0)}/s), ${size}`);
    const retriever = retrieverOf(dataSource, new NoEmbeddings());
    const kinds = {
      'one rare word': (i) => `w${9000 + i * 37}x`,
      'five words, one of them common': (i) => `w${i % 4}x w${300 + i}x w${900 + i}x w${3000 + i}x w${8000 + i}x`,
      'two words, each in a quarter of all passages': (i) => `w${55 + (i % 5)}x w${62 + (i % 7)}x`,
      'six words, each in a quarter of all passages': (i) =>
        Array.from({ length: 6 }, (_, j) => `w${55 + ((i + j) % 15)}x`).join(' '),
      'two words that are nearly everywhere': (i) => `w${i % 5}x w${5 + (i % 7)}x`,
    };
    for (const [name, query] of Object.entries(kinds)) {
      const times = [];
      for (let i = 0; i < 44; i++) {
        const before = performance.now();
        await retriever.search({ viewer: { userId: OWNER }, query: query(i), mode: 'keyword', limit: 10 });
        if (i >= 4) times.push(performance.now() - before);
      }
      times.sort((a, b) => a - b);
      console.log(`${name}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`);
    }
  });
}

// ---- quality: Cranfield, 1,400 abstracts, 225 questions

function records(path) {
  return readFileSync(path, 'utf8')
    .split(/^\.I /m)
    .slice(1)
    .map((record) => {
      const [, title = '', text = ''] = record.match(/(?:^\.T\n([\s\S]*?)^\.A)?[\s\S]*?^\.W\n([\s\S]*)/m) ?? [];
      return { title, text };
    });
}

function ndcg(ranking, gains, depth = 10) {
  const discounted = (list) => list.slice(0, depth).reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);
  const ideal = discounted([...gains.values()].sort((a, b) => b - a));
  return ideal === 0 ? null : discounted(ranking.map((id) => gains.get(id) ?? 0)) / ideal;
}

function retrieverOf(dataSource, embeddings) {
  const [words, vectors, names] = [KeywordSearch, VectorSearch, NameSearch].map((Part) => new Part(dataSource));
  return new Retriever(dataSource, embeddings, new NoReranker(), words, vectors, names);
}

async function quality(folder, embeddings) {
  const abstracts = records(join(folder, 'cran.all.1400'));
  const questions = records(join(folder, 'cran.qry'));
  const judged = questions.map(() => new Map());
  for (const line of readFileSync(join(folder, 'cranqrel'), 'utf8').trim().split('\n')) {
    const [question, id, code] = line.trim().split(/\s+/).map(Number);
    if (code >= 1 && code <= 4) judged[question - 1].set(id, 1);
  }
  await withDatabase('cranfield', async (dataSource) => {
    const index = new ChunkIndex();
    const numbers = new Map();
    for (const [i, { text }] of abstracts.entries()) {
      const vectors = embeddings.enabled
        ? { modelId: embeddings.modelId, vectors: await embeddings.embed([text]) }
        : undefined;
      numbers.set(await addDocument(dataSource, index, [text], vectors), i + 1);
    }
    await dataSource.query('VACUUM ANALYZE');
    const retriever = retrieverOf(dataSource, embeddings);
    for (const mode of embeddings.enabled ? ['keyword', 'vector', 'hybrid'] : ['keyword']) {
      const scores = [];
      for (const [i, { text }] of questions.entries()) {
        const { hits } = await retriever.search({ viewer: { userId: OWNER }, query: text, mode, limit: 10 });
        const score = ndcg(
          hits.map((hit) => numbers.get(hit.uid)),
          judged[i],
        );
        if (score !== null) scores.push(score);
      }
      console.log(
        `Cranfield ${mode}: nDCG@10 ${(scores.reduce((a, b) => a + b, 0) / scores.length).toFixed(4)} (${scores.length} questions)`,
      );
    }
  });
}

if (options.cranfield && existsSync(join(options.cranfield, 'cranqrel')))
  await quality(options.cranfield, options.builtin ? new BuiltinEmbeddings() : new NoEmbeddings());
if (Number(options.chunks) > 0) await speed(Number(options.chunks));
