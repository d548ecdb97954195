// Mixed webhooks while runners are killed, Redis is wiped twice and Postgres falls over once: every accepted call
// reaches one end, in order per workflow, no effect happens twice, and what a dead runner left is taken up soon.
//   npm run bench -- soak [--minutes 5] [--kill-every 5] [--per-second 20] [--seed 1]
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { startDeployment } from './support/deployment.mjs';
import { Bars, quantile, seededRandom, spread } from './support/figures.mjs';
import { restartPostgres } from './support/postgres-restart.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    'kill-every': { type: 'string', default: '5' },
    'per-second': { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const lasts = Number(options.minutes) * 60_000;
const random = seededRandom(Number(options.seed));
const DRAINED_WITHIN_MS = 180_000;
console.log(`seed ${options.seed}`);

/** What happened outside, by idempotency key. */
const effects = new Map();
const outside = createServer((request, response) => {
  const key = `${request.method} ${request.url} ${request.headers['idempotency-key']}`;
  effects.set(key, (effects.get(key) ?? 0) + 1);
  request.resume();
  setTimeout(() => response.end('{"ok":true}'), 20 + random() * 200);
});
await new Promise((listening) => outside.listen(0, '127.0.0.1', listening));
const outsideHost = `127.0.0.1:${outside.address().port}`;
const url = `http://${outsideHost}`;

const redis = new Redis(process.env.TEST_REDIS_URL);
const deployment = await startDeployment({
  apps: ['api', 'workflow-runner', 'workflow-runner'],
  settings: { WORKFLOW_HOSTS: outsideHost, ...(process.env.SOAK_LOG && { LOG_LEVEL: process.env.SOAK_LOG }) },
});
const { dataSource } = deployment;
dataSource.driver.master.on('error', () => undefined);
const client = await deployment.signUp('soak');

const payload = { $ref: '_output.start.payload' };
const start = (...next) => ({ id: 'start', kind: 'webhook_trigger', next });
const end = { id: 'end', kind: 'template', params: { template: 'done {{_webhook_payload.n}}' } };
const create = async (name, nodes) => {
  const { workflow_id: id } = await client.json('POST', '/microservices/workflow/start/', {
    json: { name, entry: ['start'], nodes },
  });
  const { webhook_id, webhook_secret } = await client.json('GET', `/microservices/workflow/${id}/`);
  return { id, name, webhook_id, webhook_secret, sent: 0 };
};
const child = await create('child', [start('end'), end]);
const shapes = {
  plain: [
    start('left', 'right'),
    { id: 'left', kind: 'template', params: { template: 'l' }, next: ['end'] },
    { id: 'right', kind: 'set', params: { fields: { payload } }, next: ['end'] },
    end,
  ],
  post: [
    start('call'),
    {
      id: 'call',
      kind: 'http_request',
      params: { method: 'POST', url: `${url}/post`, body_kind: 'json' },
      next: ['end'],
    },
    end,
  ],
  put: [
    start('call'),
    { id: 'call', kind: 'http_request', params: { method: 'PUT', url: `${url}/put` }, next: ['end'] },
    end,
  ],
  delay: [start('wait'), { id: 'wait', kind: 'delay', params: { seconds: 1.5 }, next: ['end'] }, end],
  approval: [start('ok'), { id: 'ok', kind: 'approval', params: { message: 'Go on?' }, next: ['end'] }, end],
  sub: [start('sub'), { id: 'sub', kind: 'sub_workflow', params: { workflow_id: child.id }, next: ['end'] }, end],
  batch: [
    start('all'),
    {
      id: 'all',
      kind: 'batch',
      params: {
        items: [1, 2, 3, 4, 5, 6],
        kind: 'http_request',
        params: { method: 'PUT', url: `${url}/batch/{{_item}}` },
      },
      next: ['end'],
    },
    end,
  ],
};
const workflows = [];
for (const [name, nodes] of Object.entries(shapes))
  for (let copy = 0; copy < (name === 'plain' ? 6 : 2); copy++) workflows.push(await create(`${name} ${copy}`, nodes));

const accepted = [];
let refused = 0;
/** Tries until it is taken: the key keeps a call whose answer was lost from counting twice. */
async function call(workflow) {
  const n = ++workflow.sent;
  const key = randomUUID();
  const { webhook_id, webhook_secret } = workflow;
  for (;;) {
    try {
      const response = await fetch(`${deployment.base}/microservices/workflow/webhook/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ webhook_id, webhook_secret, payload: { n } }),
        signal: AbortSignal.timeout(20_000),
      });
      if (response.status === 202) {
        const { request_id: requestId } = await response.json();
        accepted.push({ requestId, workflow, n });
        return;
      }
      if (response.status < 500 || response.status === 500) throw new Error(`a webhook call got ${response.status}`);
    } catch (error) {
      if (/a webhook call got/.test(error.message)) throw error;
    }
    refused += 1;
    await sleep(200);
  }
}

/** One call of a workflow at a time, so that the order in which they are taken is known. */
async function keepCalling(workflow, until) {
  // One at a time: what takes longer is called less often, or its line would only grow.
  const patience = workflow.name.startsWith('delay') ? 3 : 1;
  const every = (patience * workflows.length * 1000) / Number(options['per-second']);
  while (Date.now() < until) {
    const began = Date.now();
    await call(workflow);
    await sleep(Math.max(0, every * (0.5 + random()) - (Date.now() - began)));
  }
}

/** Somebody who says yes to everything, soon. */
let approvals = 0;
const over = new AbortController();
async function keepApproving() {
  const asked = workflows.filter(({ name }) => name.startsWith('approval'));
  while (!over.signal.aborted) {
    for (const { id } of asked) {
      try {
        const rows = await client.json('GET', `/microservices/workflow/${id}/nodes/`);
        const waiting = rows.find(({ node_id, status }) => node_id === 'ok' && status === 'WAITING');
        if (!waiting) continue;
        const answer = await client.send('POST', '/microservices/workflow/agent-message/', {
          workflow_id: id,
          node_id: waiting.id,
          message: 'approve',
        });
        if (answer.status === 200) approvals += 1;
        else if (answer.status !== 409 && answer.status < 502)
          console.log(`an approval got ${answer.status}`, await answer.text());
      } catch {
        // The api is busy finding its database again.
      }
    }
    await sleep(150);
  }
}

const killed = [];
async function killRunner(number) {
  const runners = deployment.apps.filter(({ app, ended }) => app === 'workflow-runner' && !ended);
  const victim = runners[number % runners.length];
  await victim.kill('SIGKILL');
  const at = Date.now();
  const held = await dataSource.query(
    `SELECT id FROM workflow_runs WHERE status = 'RUNNING' AND lease_owner LIKE '%:' || $1 || ':%'`,
    [victim.pid],
  );
  for (const { id } of held) killed.push({ id, at });
  // One that finds no database ends, as it should; whoever runs it starts it again.
  for (let isUp = false; !isUp; await sleep(isUp ? 0 : 500))
    isUp = await deployment.start('workflow-runner').then(
      () => true,
      () => false,
    );
}

let stopPostgres = null;
async function disturb(until) {
  const began = Date.now();
  const faults = [
    [0.25, 'Redis is wiped', () => redis.flushall()],
    [0.5, 'Postgres falls over', async () => (stopPostgres = await restartPostgres(dataSource))],
    [0.75, 'Redis is wiped', () => redis.flushall()],
  ];
  for (let number = 0; Date.now() < until; number++) {
    await sleep(Number(options['kill-every']) * 1000 * (0.5 + random()));
    await killRunner(number);
    while (faults.length > 0 && Date.now() - began > faults[0][0] * lasts) {
      const [, what, cause] = faults.shift();
      console.log(what);
      await cause();
    }
  }
}

const until = Date.now() + lasts;
const approving = keepApproving();
await Promise.all([disturb(until), ...workflows.map((workflow) => keepCalling(workflow, until))]);
const loadEnded = Date.now();
const open = `SELECT count(*)::int AS open FROM workflow_requests WHERE status IN ('pending', 'running')`;
let left;
do {
  await sleep(500);
  [{ open: left }] = await dataSource.query(open);
} while (left > 0 && Date.now() - loadEnded < DRAINED_WITHIN_MS);
over.abort();
await approving;

const bars = new Bars();
const kills = deployment.apps.filter(({ app, ended }) => app === 'workflow-runner' && ended).length;
console.log(
  `${accepted.length} calls accepted (${refused} tries refused), ${kills} runners killed over ${killed.length} runs, ${approvals} approvals; drained in ${((Date.now() - loadEnded) / 1000).toFixed(1)} s`,
);
bars.check('accepted calls that reached no end', left, left === 0);
const requests = await dataSource.query('SELECT id, status, run_version FROM workflow_requests');
const known = new Map(requests.map((request) => [request.id, request]));
const lost = accepted.filter(({ requestId }) => !known.has(requestId)).length;
bars.check('accepted calls that are not known', lost, lost === 0);
bars.check('calls that count twice', requests.length - accepted.length, requests.length === accepted.length);
const statuses = Object.groupBy(requests, ({ status }) => status);
console.log(
  Object.entries(statuses)
    .map(([status, list]) => `${status} ${list.length}`)
    .join(', '),
);

const disordered = await dataSource.query(
  `SELECT workflow_id FROM (
     SELECT workflow_id, (payload->>'n')::int AS n, version, started_at,
       lag((payload->>'n')::int) OVER turn AS n_before, lag(finished_at) OVER turn AS ended_before
     FROM workflow_runs WHERE queue_request_id IS NOT NULL WINDOW turn AS (PARTITION BY workflow_id ORDER BY version)) AS runs
   WHERE n <> n_before + 1 OR started_at < ended_before`,
);
bars.check('runs out of order or over each other', disordered.length, disordered.length === 0);
const twice = [...effects].filter(([key, count]) => key.startsWith('POST') && count > 1).length;
bars.check('effects that happened twice', twice, twice === 0);
const [{ posted }] = await dataSource.query(
  `SELECT count(*)::int AS posted FROM workflow_run_nodes n JOIN workflow_runs r ON r.id = n.run_id
   JOIN workflows w ON w.id = r.workflow_id WHERE w.name LIKE 'post%' AND n.node_id = 'call' AND n.status = 'COMPLETED'`,
);
const posts = [...effects.keys()].filter((key) => key.startsWith('POST')).length;
bars.check('completed nodes without their effect', Math.max(0, posted - posts), posted <= posts);
const failures = await dataSource.query(
  `SELECT w.name, r.error->>'code' AS code, count(*)::int AS count FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id
   WHERE r.status <> 'COMPLETED' GROUP BY 1, 2 ORDER BY 1`,
);
console.log('failed:', failures.map(({ name, code, count }) => `${name} ${code} ${count}`).join(', ') || 'none');
const odd = failures.filter(({ name, code }) => !(name.startsWith('post') && code === 'worker_lost'));
bars.check('runs that failed without an effect that may have happened', odd.length, odd.length === 0);
const ends = await dataSource.query('SELECT id, finished_at FROM workflow_runs WHERE id = ANY($1::uuid[])', [
  killed.map(({ id }) => id),
]);
const endOf = new Map(ends.map(({ id, finished_at: at }) => [id, at.getTime()]));
const recoveries = killed.map(({ id, at }) => endOf.get(id) - at);
if (recoveries.length > 0) {
  console.log(`from the kill to the end of its runs: ${spread(recoveries)}`);
  const p99 = quantile(recoveries, 0.99);
  bars.check('recovery p99 < 60 s', `${(p99 / 1000).toFixed(1)} s`, p99 < 60_000);
}
redis.disconnect();
outside.close();
outside.closeAllConnections();
await deployment.stop();
await stopPostgres?.();
bars.finish();
