// How soon a chat answers with the embedded quoting model: from the request to the first byte, over the questions of a
// test collection, each asked of all its documents.
//   npm run bench -- first-byte <folder of a test collection> [--questions 200]
import { parseArgs } from 'node:util';
import { readCollection } from './support/corpus.mjs';
import { startDeployment } from './support/deployment.mjs';
import { Bars, quantile, spread } from './support/figures.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { questions: { type: 'string', default: '200' } },
});
const [folder] = positionals;
if (!folder) throw new Error('Name the folder of a test collection.');
const BATCH = 50;
const BAR_MS = 300;

const { documents, questions } = await readCollection(folder);
const deployment = await startDeployment({ apps: ['api', 'indexer', 'workflow-runner'] });
const bars = new Bars();
try {
  const client = await deployment.signUp();
  const filled = documents.filter(({ text }) => text.trim() !== '');
  const uids = [];
  for (let at = 0; at < filled.length; at += BATCH) {
    const files = filled.slice(at, at + BATCH).map(({ id, text }) => new File([text], `${id}.txt`));
    uids.push(...(await client.uploadBatch(files)).map(({ uid }) => uid));
  }
  await client.settled(uids);

  /** @returns milliseconds to the first byte of the body, and to the last */
  async function ask(message) {
    const started = performance.now();
    const response = await client.send('POST', '/semantic-search/all-files-chat/', { message });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    let first = null;
    for await (const chunk of response.body) if (chunk.length > 0) first ??= performance.now() - started;
    return { first, last: performance.now() - started };
  }
  for (const { text } of questions.slice(0, 10)) await ask(text);
  const answers = [];
  for (const { text } of questions.slice(0, Number(options.questions))) answers.push(await ask(text));
  console.log(`${answers.length} questions; whole answer: ${spread(answers.map(({ last }) => last))}`);
  const firsts = answers.map(({ first }) => first);
  bars.check(`first byte of an answer < ${BAR_MS} ms (p95)`, spread(firsts), quantile(firsts, 0.95) < BAR_MS);
} finally {
  await deployment.stop();
}
bars.finish();
