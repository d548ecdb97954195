// The webhook bar (docs/contract/reliability.md#figures (7)): calls arrive at a fixed rate, whether or not earlier
// ones are answered, while
// the workflow-runner works on what they started. The client is a process of its own on the same machine.
//   npm run bench -- webhook-burst [calls per second=1000] [seconds=30] [workflows=100] [rounds=3]
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDeployment } from './support/deployment.mjs';

const [rate, seconds, workflows, rounds] = [1000, 30, 100, 3].map((standard, at) =>
  Number(process.argv[2 + at] ?? standard),
);
const WARM_UP = { rate: 300, seconds: 5 };
const TICKS_PER_SECOND = 100;

const definition = {
  name: 'Fan out and join',
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['left', 'right'] },
    { id: 'left', kind: 'template', params: { template: 'left {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'right', kind: 'template', params: { template: 'right {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'join', kind: 'merge', params: { values: [{ $ref: '_output.left.text' }, { $ref: '_output.right.text' }] } },
  ],
};

/** Seconds of CPU that a process has used. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const parentOf = (child) => Number(readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1].split(' ')[1]);

/** Of the server and all of its processes, those that have ended included. */
async function postgresCpu(dataSource) {
  const [{ pid }] = await dataSource.query('SELECT pg_backend_pid() AS pid');
  const server = parentOf(pid);
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim().split(' ');
  const fields = readFileSync(`/proc/${server}/stat`, 'utf8').split(') ')[1].split(' ');
  const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS_PER_SECOND;
  return children.reduce((sum, child) => sum + cpuSeconds(child), own);
}

const deployment = await startDeployment({ apps: ['api', 'workflow-runner'], settings: { LOG_LEVEL: 'warn' } });
const { dataSource, apps, base } = deployment;
const count = async (sql) => Number((await dataSource.query(`SELECT count(*) FROM ${sql}`))[0].count);

async function send(credentials, load) {
  const client = fork(fileURLToPath(new URL('support/webhook-client.mjs', import.meta.url)));
  const told = new Promise((done, fail) => {
    client.once('message', done);
    client.once('exit', (code) => code && fail(new Error(`The client ended with ${code}.`)));
  });
  client.send({ base, credentials, ...load });
  return told;
}

/** Requests that ran before one that was accepted earlier, and those that overtook an earlier arrival of their workflow. */
async function disorder() {
  const [row] = await dataSource.query(
    `SELECT count(*) FILTER (WHERE run_version < earlier_version) AS ran, count(*) FILTER (WHERE n < earlier_n) AS came FROM (
       SELECT run_version, (payload->>'n')::int AS n,
         lag(run_version) OVER (PARTITION BY workflow_id ORDER BY seq) AS earlier_version,
         lag((payload->>'n')::int) OVER (PARTITION BY workflow_id ORDER BY seq) AS earlier_n
       FROM workflow_requests) AS q`,
  );
  return row;
}

try {
  const owner = await deployment.signUp('bench');
  const credentials = [];
  for (let n = 0; n < workflows; n += 1) {
    const { workflow_id } = await owner.json('POST', '/microservices/workflow/start/', { json: definition });
    const { webhook_id, webhook_secret } = await owner.json('GET', `/microservices/workflow/${workflow_id}/`);
    credentials.push({ webhook_id, webhook_secret });
  }
  await send(credentials, WARM_UP);
  const results = [];
  for (let round = 1; round <= rounds; round += 1) {
    while ((await count(`workflow_requests WHERE status IN ('pending', 'running')`)) > 0) await sleep(100);
    await dataSource.query('DELETE FROM workflow_requests');
    await dataSource.query('VACUUM (ANALYZE)');
    const before = apps.map(({ pid }) => cpuSeconds(pid));
    const postgresBefore = await postgresCpu(dataSource);
    const result = await send(credentials, { rate, seconds });
    const spent = apps.map(({ pid }, at) => cpuSeconds(pid) - before[at]);
    const postgres = (await postgresCpu(dataSource)) - postgresBefore;
    const done = await count(`workflow_requests WHERE status = 'done'`);
    while ((await count(`workflow_requests WHERE status IN ('pending', 'running')`)) > 0) await sleep(100);
    const failed = await count(`workflow_requests WHERE status <> 'done'`);
    const { ran, came } = await disorder();
    results.push(result);
    console.log(
      `round ${round}: ${result.accepted} of ${result.sent} answered 202 (others: ${JSON.stringify(result.others)}), ` +
        `p50 ${result.p50} ms, p95 ${result.p95} ms, p99 ${result.p99} ms, max ${result.max} ms; ` +
        `${done} runs were over with the last answer, ${failed} did not complete; ${ran} ran out of order, ${came} overtook an earlier arrival; ` +
        `${apps.map(({ app }, at) => `${app} ${((spent[at] / result.sent) * 1e6).toFixed(0)} µs`).join(', ')}, Postgres ${((postgres / result.sent) * 1e6).toFixed(0)} µs of CPU a call`,
    );
  }
  const p99 = results.map((one) => one.p99).toSorted((a, b) => a - b)[results.length >> 1];
  console.log(`${rate}/s for ${seconds} s to ${workflows} workflows: median p99 ${p99} ms (bar: 150)`);
} finally {
  await deployment.stop();
}
