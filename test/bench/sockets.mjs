// How soon a change of a workflow reaches its sockets: from asking for a run over HTTP to the frame in the client. All
// sockets are open on one api process; the clients are another process.
//   npm run bench -- sockets [--sockets 5000] [--changes 60] [--nodes 4]
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars } from './support/figures.mjs';

const { values: options } = parseArgs({
  options: {
    sockets: { type: 'string', default: '5000' },
    changes: { type: 'string', default: '60' },
    nodes: { type: 'string', default: '4' },
  },
});
const [sockets, changes, nodeCount] = [options.sockets, options.changes, options.nodes].map(Number);
const BAR_MS = 200;

/** Of sorted numbers; there are too many to sort them once for each. */
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const now = () => performance.timeOrigin + performance.now();

const deployment = await startDeployment({ apps: ['api'], settings: { SOCKETS_PER_USER: '100000' } });
const bars = new Bars();
const client = await deployment.signUp();
const api = deployment.apps[0];

const memory = () =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))[1]) / 1024);
const cpuSeconds = () => {
  const fields = readFileSync(`/proc/${api.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

async function createWorkflow(count = nodeCount) {
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: `node${index}`,
    kind: 'template',
    params: { template: `Step ${index}` },
    next: index + 1 < count ? [`node${index + 1}`] : [],
  }));
  return (await client.json('POST', '/microservices/workflow/start/', { json: { name: 'Watched', nodes } }))
    .workflow_id;
}

/** Opens `total` sockets over the workflows, makes changes at random ones, and tells how long each frame took. */
async function measure(label, workflows, total, { everyMs, count }) {
  const clients = fork(new URL('./support/socket-clients.mjs', import.meta.url), {
    stdio: 'inherit',
    serialization: 'advanced',
  });
  const token = client.headers.authorization.split(' ')[1];
  const base = deployment.base.replace('http', 'ws');
  const watched = Array.from({ length: total }, (_, index) => workflows[index % workflows.length]);
  const openedFrom = performance.now();
  clients.send({ type: 'open', urls: watched.map((id) => `${base}/ws/workflow/${id}/nodes/?token=${token}`) });
  await once(clients, 'message');
  const opening = performance.now() - openedFrom;
  await sleep(1500);
  const asked = new Map();
  const cpuFrom = cpuSeconds();
  const measuredFrom = performance.now();
  for (let change = 0; change < count; change += 1) {
    const id = workflows[Math.floor(Math.random() * workflows.length)];
    const askedAt = now();
    const { version } = await client.json('POST', '/microservices/workflow/rerun/', { workflow_id: id });
    asked.set(`${id} ${version}`, askedAt);
    await sleep(Math.max(0, everyMs - (now() - askedAt)));
  }
  const busy = (cpuSeconds() - cpuFrom) / ((performance.now() - measuredFrom) / 1000);
  await sleep(1500);
  clients.send({ type: 'collect' });
  const [{ received, closed }] = await once(clients, 'message');
  clients.kill();
  const waits = [];
  let missed = 0;
  for (const [index, frames] of received.entries()) {
    const id = watched[index];
    const mine = [...asked]
      .filter(([key]) => key.startsWith(id))
      .map(([key, time]) => [Number(key.split(' ')[1]), time]);
    for (const [version, askedAt] of mine) {
      // A later list says what an earlier one would have said.
      const frame = frames.find(([seen]) => seen >= version);
      if (frame) waits.push(frame[1] - askedAt);
      else missed += 1;
    }
  }
  console.log(
    `${label}: ${total} sockets opened in ${(opening / 1000).toFixed(1)} s, ${waits.length} frames, ${closed} closed, ` +
      `api ${memory()} MB, ${(busy * 100).toFixed(0)} % of a core`,
  );
  bars.check(`${label}: nobody misses a change`, `${missed} missed`, missed === 0 && closed === 0);
  waits.sort((a, b) => a - b);
  const [p50, p99, max] = [at(waits, 0.5), at(waits, 0.99), waits.at(-1)];
  const figures = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, max ${max.toFixed(0)} ms`;
  bars.check(`${label}: p99 < ${BAR_MS} ms`, figures, p99 < BAR_MS);
}

try {
  const one = await createWorkflow();
  await measure('one workflow', [one], sockets, { everyMs: 500, count: changes });
  const many = [];
  for (let index = 0; index < sockets / 10; index += 1) many.push(await createWorkflow());
  await measure('ten to a workflow', many, sockets, { everyMs: 20, count: changes * 10 });
  const large = await createWorkflow(1000);
  await measure('1,000 nodes, 100 sockets', [large], 100, { everyMs: 1000, count: 15 });
} finally {
  await deployment.stop();
}
bars.finish();
