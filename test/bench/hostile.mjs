// Files that are damaged, lie, or want to cost too much, one at a time over HTTP: each is refused with reasons or ends
// completed or failed with a clear reason; no process ends; memory does not run away.
//   npm run bench -- hostile [folder of further files ...] [--only <regular expression>] [--no-generated]
import './support/typescript.mjs';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars, megabytes, quantile, residentTree, watchMemory } from './support/figures.mjs';

const { hostileFiles } = await import('../support/hostile/index.ts');
const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: { only: { type: 'string', default: '' }, generated: { type: 'boolean', default: true } },
});

const GROWTH = 300 * 1_048_576;
/** A second try is given more room, and recognition of text some more: with the last look before it is stopped. */
const MOST_GROWTH = 600 * 1_048_576;
const SECOND_TRIES = 0.01;
/** What the product says when it does not know what happened. */
const UNCLEAR = /unexpected error|stopped unexpectedly/i;

function* filesOf(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesOf(path);
    else yield { name: basename(path), bytes: () => readFileSync(path) };
  }
}

const wanted = new RegExp(options.only);
const given = folders.flatMap((folder) => [...filesOf(folder)]);
const files = [...given, ...(options.generated ? hostileFiles() : [])].filter(({ name }) => wanted.test(name));
const deployment = await startDeployment();
const indexer = deployment.apps.find(({ app }) => app === 'indexer');
const outcomes = [];

/** `refused`, `completed`, `failed`, or what went wrong. */
async function treat(client, name, bytes) {
  const response = await client.upload(new File([bytes], name), { ocr: 'true' });
  const body = await response.json();
  if (response.status === 413) return { outcome: 'refused', reason: JSON.stringify(body) };
  if (response.status !== 201) {
    const reason = (body.reasons ?? []).join(' ');
    return { outcome: response.status < 500 && reason !== '' ? 'refused' : `answered ${response.status}`, reason };
  }
  const states = await client.settled([body.uid], { everyMs: 20 });
  const { processing_state: state, last_error: reason } = states.get(body.uid);
  const clear = state === 'completed' || (state === 'failed' && reason !== '' && !UNCLEAR.test(reason));
  return { outcome: clear ? state : `${state} without a clear reason`, reason };
}

const bars = new Bars();
const started = performance.now();
try {
  const client = await deployment.signUp();
  for (const { name, bytes } of files) {
    const content = bytes();
    const before = residentTree(indexer.pid);
    const memory = watchMemory(indexer.pid);
    const from = performance.now();
    const { outcome, reason } = await treat(client, name, content);
    memory.stop();
    const one = {
      name,
      outcome,
      reason,
      growth: memory.peak - before,
      ms: performance.now() - from,
      peak: memory.peak,
    };
    outcomes.push(one);
    const notable = one.growth > GROWTH || one.ms > 5000 || !['refused', 'completed', 'failed'].includes(outcome);
    if (notable || files.length < 100)
      console.log(`${name}: ${outcome} after ${(one.ms / 1000).toFixed(1)} s, +${megabytes(one.growth)}. ${reason}`);
  }
  const seconds = (performance.now() - started) / 1000;
  const count = (outcome) => outcomes.filter((one) => one.outcome === outcome).length;
  const [refused, completed, failed] = ['refused', 'completed', 'failed'].map(count);
  console.log(
    `${files.length} files in ${seconds.toFixed(0)} s: ${refused} refused, ${completed} completed, ${failed} failed`,
  );
  const unclear = files.length - refused - completed - failed;
  bars.check('each ends clearly', `${unclear} do not`, unclear === 0);
  bars.check(
    'no process ended',
    deployment.apps.map(({ app, ended }) => `${app} ${ended ? 'ended' : 'lives'}`).join(', '),
    !deployment.apps.some(({ ended }) => ended),
  );
  const growths = outcomes.map(({ growth }) => growth);
  const large = growths.filter((growth) => growth > GROWTH).length;
  bars.check(
    'growth of the indexer and its children per file < 300 MB, but for 1 in 100 at a second try < 600 MB',
    `p50 ${megabytes(quantile(growths, 0.5))}, max ${megabytes(Math.max(...growths))}, ${large} above 300 MB`,
    Math.max(...growths) < MOST_GROWTH && large <= Math.max(1, files.length * SECOND_TRIES),
  );
  console.log(`indexer and children at most ${megabytes(Math.max(...outcomes.map(({ peak }) => peak)))}`);
  bars.check('given files within 10 minutes', `${seconds.toFixed(0)} s for all`, options.generated || seconds < 600);
} finally {
  await deployment.stop();
}
bars.finish();
