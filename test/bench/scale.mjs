// Search over many chunks: real sentences and clustered vectors, through the built api with an encoder endpoint that
// knows the vectors of the questions.
//   npm run bench -- scale <folder of a test collection> [--chunks 500000] [--owners 1] [--per-document 25] [--keep]
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { bulkLoad } from './support/bulk-load.mjs';
import { readCollection } from './support/corpus.mjs';
import { startDeployment } from './support/deployment.mjs';
import { Bars, quantile, spread } from './support/figures.mjs';
import { ClusteredVectors, ExactNeighbours, passageWriter } from './support/synthetic.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    chunks: { type: 'string', default: '500000' },
    owners: { type: 'string', default: '1' },
    'per-document': { type: 'string', default: '25' },
    keep: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (!folder) throw new Error('Name the folder of a test collection, whose sentences are used.');
const [chunkCount, ownerCount, perDocument] = ['chunks', 'owners', 'per-document'].map((name) => Number(options[name]));
const QUESTIONS = 100;
const MODEL = 'clustered';

const collection = await readCollection(folder);
const vectors = new ClusteredVectors();
const questions = collection.questions
  .slice(0, QUESTIONS)
  .map(({ text }) => ({ text: text.replace(/\s+/g, ' ').trim() }));

/** An endpoint that speaks the OpenAI protocol and answers with the vectors that were chosen for the questions. */
const encoder = createServer(async (request, response) => {
  const { input } = await json(request);
  const data = [input].flat().map((text, index) => {
    const known = questions.find((question) => question.text === text);
    return { object: 'embedding', index, embedding: [...(known?.vector ?? vectors.passage())] };
  });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data, model: MODEL, usage: { prompt_tokens: 1, total_tokens: 1 } }));
});
await new Promise((listening) => encoder.listen(0, '127.0.0.1', listening));

const deployment = await startDeployment({
  apps: ['api'],
  settings: {
    EMBEDDINGS_PROVIDER: 'openai',
    EMBEDDINGS_BASE_URL: `http://127.0.0.1:${encoder.address().port}/v1`,
    EMBEDDINGS_MODEL: MODEL,
  },
});
const { dataSource } = deployment;

async function signUpOwners() {
  const owners = [];
  for (let at = 0; at < ownerCount; at++) owners.push({ client: await deployment.signUp(`owner${at}`), at });
  const rows = await dataSource.query('SELECT id, username FROM users');
  for (const owner of owners) owner.id = rows.find(({ username }) => username === owner.client.username).id;
  return owners;
}

/** Chooses the questions' vectors near some of the passages of the owner who asks, and notes the truly nearest. */
async function* documents(owners) {
  const write = passageWriter(collection.documents);
  let made = 0;
  for (let number = 0; made < chunkCount; number++) {
    const owner = owners[number % owners.length];
    const texts = Array.from({ length: Math.min(perDocument, chunkCount - made) }, write);
    const document = {
      ownerId: owner.id,
      folder: `part-${number % 20}`,
      texts,
      vectors: texts.map(() => vectors.passage()),
    };
    for (const [at, vector] of document.vectors.entries())
      for (const { exact } of owner.questions) exact.look(texts[at], vector);
    made += texts.length;
    if (number % 2000 === 1999) console.log(`${made} chunks written`);
    yield document;
  }
}

const bars = new Bars();
try {
  const owners = await signUpOwners();
  for (const owner of owners) owner.questions = [];
  for (const [at, question] of questions.entries()) {
    question.owner = owners[at % owners.length];
    question.vector = vectors.question(vectors.passage());
    question.exact = new ExactNeighbours(question.vector);
    question.owner.questions.push(question);
  }
  const started = performance.now();
  await bulkLoad(dataSource, documents(owners), `openai:${MODEL}`);
  const seconds = (performance.now() - started) / 1000;
  const [{ size }] = await dataSource.query('SELECT pg_size_pretty(pg_database_size(current_database())) AS size');
  console.log(
    `${chunkCount} chunks of ${ownerCount} owners loaded in ${seconds.toFixed(0)} s; the database has ${size}`,
  );
  if (options.keep) console.log(deployment.databaseUrl);

  for (const { text, owner } of questions.slice(0, 20)) await owner.client.search({ query: text });
  const most = ownerCount === 1 ? 400 : 80;
  for (const mode of ['keyword', 'vector', 'hybrid']) {
    const [times, recalls] = [[], []];
    for (const { text, owner, exact } of questions) {
      const before = performance.now();
      const { results } = await owner.client.search({ query: text, mode, limit: 10 });
      times.push(performance.now() - before);
      const found = new Set(results.map((result) => result.text));
      recalls.push(exact.ids.filter((id) => found.has(id)).length / exact.ids.length);
    }
    console.log(`${mode}: ${spread(times)}`);
    bars.check(`${mode}: p95 < ${most} ms`, `${quantile(times, 0.95).toFixed(1)} ms`, quantile(times, 0.95) < most);
    if (mode === 'vector') {
      const recall = recalls.reduce((sum, value) => sum + value, 0) / recalls.length;
      bars.check('recall@10 of vectors >= 0.98', recall.toFixed(4), recall >= 0.98);
    }
  }
} finally {
  encoder.close();
  encoder.closeAllConnections();
  if (!options.keep) await deployment.stop();
  else for (const app of deployment.apps) await app.kill('SIGTERM');
}
bars.finish();
if (options.keep) process.exit();
