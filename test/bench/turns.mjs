// Many answers written at once: a model that sends 50 tokens a second to each of 200 readers, first directly, then through
// a turn (api, queue, workflow-runner, log in Postgres, Redis, api). They begin one after the other within some seconds.
//   npm run bench -- turns [--streams 200] [--seconds 40] [--pace 50] [--ramp 10]
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars, cpuSeconds, megabytes, quantile, residentTree, spread } from './support/figures.mjs';

const { values: options } = parseArgs({
  options: {
    streams: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '40' },
    ramp: { type: 'string', default: '10' },
    pace: { type: 'string', default: '50' },
  },
});
const streams = Number(options.streams);
const tokens = Number(options.seconds) * Number(options.pace);
const rampMs = Number(options.ramp) * 1000;
const BAR_MS = 30;
/** Longer silences than this in one answer are a stall. */
const STALL_MS = 1000;
const USERS = 20;

async function startChild(name, env = {}) {
  const file = fileURLToPath(new URL(`support/${name}.mjs`, import.meta.url));
  const child = fork(file, { env: { ...process.env, ...env } });
  const [ready] = await new Promise((done) => child.once('message', (message) => done([message])));
  return { child, ...ready };
}

function ask(child, message) {
  return new Promise((done) => {
    child.once('message', done);
    child.send(message);
  });
}

function report(title, { delays, together, errors, readers }) {
  if (errors.length > 0) console.log(`${errors.length} failed, the first with: ${errors[0]}`);
  const silences = readers.map(({ silence }) => silence);
  console.log(
    `${title}: ${delays.length} tokens, ${spread(delays)}; longest silence ${Math.max(...silences).toFixed(0)} ms`,
  );
  console.log(`  while all ${streams} were read: ${together.length} tokens, ${spread(together)}`);
  return { silences, complete: readers.filter((reader) => reader.tokens === tokens).length };
}

const model = await startChild('token-server', { TOKENS: String(tokens), PACE: options.pace });
const clients = await startChild('stream-clients');
const baseUrl = `http://127.0.0.1:${model.port}/v1`;
const deployment = await startDeployment({
  apps: ['api', 'workflow-runner'],
  settings: {
    LLM_PROVIDER: 'openai',
    LLM_BASE_URL: baseUrl,
    LLM_MODEL: 'm',
    LLM_API_KEY: 'k',
    LLM_TIMEOUT_SECONDS: '600',
  },
});
const bars = new Bars();
try {
  const json = { 'content-type': 'application/json' };
  const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Go on' }] };
  const direct = await ask(clients.child, {
    rampMs,
    calls: Array.from({ length: streams }, () => ({ url: `${baseUrl}/chat/completions`, headers: json, body })),
  });
  report('directly', direct);

  const users = await Promise.all(Array.from({ length: USERS }, () => deployment.signUp()));
  const call = (index) => ({
    url: `${deployment.base}/secure-gpt/chat/`,
    headers: { ...json, ...users[index % USERS].headers },
    body: { message: `Go on, ${index}` },
  });
  const api = deployment.apps.find(({ app }) => app === 'api');
  const memory = [];
  const timer = setInterval(() => memory.push(residentTree(api.pid)), 1000);
  const usedBefore = deployment.apps.map(({ pid }) => cpuSeconds(pid));
  const through = await ask(clients.child, {
    rampMs,
    calls: Array.from({ length: streams }, (_, index) => call(index)),
  });
  clearInterval(timer);
  for (const [at, { app, pid }] of deployment.apps.entries()) {
    const used = (cpuSeconds(pid) - usedBefore[at]) * 1e6;
    console.log(`${app}: ${(used / through.delays.length).toFixed(0)} µs of a core per token`);
  }
  const { silences, complete } = report('through turns', through);

  const added = quantile(through.together, 0.95) - quantile(direct.together, 0.95);
  bars.check(
    `latency that is added to a token < ${BAR_MS} ms (p95, all at work)`,
    `${added.toFixed(1)} ms`,
    added < BAR_MS,
  );
  bars.check('answers that are complete', `${complete} of ${streams}`, complete === streams);
  const stalled = silences.filter((silence) => silence > STALL_MS).length;
  bars.check(`answers that stall for more than ${STALL_MS} ms`, stalled, stalled === 0);
  const third = Math.floor(memory.length / 3);
  const early = Math.max(...memory.slice(third, 2 * third));
  const late = Math.max(...memory.slice(2 * third));
  const grown = late - early;
  bars.check('growth of the api’s memory < 40 MB', `${megabytes(early)} to ${megabytes(late)}`, grown < 40 * 1_048_576);
} finally {
  clients.child.kill();
  model.child.kill();
  await deployment.stop();
}
bars.finish();
