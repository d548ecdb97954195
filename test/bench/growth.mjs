// What the platform's own statements cost when there is ten times as much history: real services run against generated
// rows, Postgres explains what they send, and the buffers are compared. Then how many statements idle replicas send.
// `npm run bench -- growth [rows=20000] [idle seconds=20] [agents]`: with the last, dedicated agents alone. Bars: < 1.5 times the buffers; < 100 statements/s at 30 replicas.
import './support/typescript.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDeployment } from './support/deployment.mjs';
import { explainAll, listen } from './support/explained-statements.mjs';
import { Bars } from './support/figures.mjs';
import { addHistory } from './support/history-rows.mjs';
import { addAgentHistory } from './support/agent-history.mjs';

const { startWorkflows, createUser, createWorkflow, fanOutAndJoin } = await import('../support/workflows.ts');
const { startDocuments } = await import('./support/documents-module.mjs');
const { addIndexedDocument } = await import('../support/retrieval.ts');
const { createProbes } = await import('./support/growth-probes.mjs');
const { createAgentProbes } = await import('./support/agent-probes.mjs');
const { DataSource } = await import('typeorm');

const [rows, idleSeconds] = [20_000, 20].map((fallback, index) => Number(process.argv[index + 2] ?? fallback));
const isAgentsOnly = process.argv[4] === 'agents';
const MOST_GROWTH = 1.5;
/** Lists that tell how many there are count them, without reading the rows: for somebody with so many runs, this much. */
const COUNTING = new Set([
  'agents: first page of runs',
  'agents: failed runs',
  'agents: executions of a job',
  'agents: spend',
]);
const MOST_COUNTING = 400;
/** Of so few buffers, a page more is no growth. */
const NOISE = 20;
const REPLICAS = 30;
/** Documents of somebody who has little on a large platform. */
const FEW = 20;

const deployment = await startDeployment({ apps: [] });
const bars = new Bars();

const containerOf = (container) => ({
  dataSource: container.get(DataSource, { strict: false }),
  get: (type) => container.get(type, { strict: false }),
});

async function atWork() {
  const { dataSource } = deployment;
  await explainAll(dataSource);
  const module = await startWorkflows(deployment.databaseUrl);
  const [ownerId, readerId] = [await createUser(dataSource), await createUser(dataSource)];
  const workflow = await createWorkflow(module, ownerId, fanOutAndJoin);
  const { module: store, add, close } = await startDocuments(deployment.databaseUrl, ownerId);
  for (let i = 0; i < FEW; i += 1)
    await addIndexedDocument(dataSource, {
      ownerId: readerId,
      filename: `own ${i}.txt`,
      pages: ['A zebra on a crossing.'],
    });
  const all = createProbes({
    documents: { ...containerOf(store), add },
    workflows: containerOf(module),
    ownerId,
    readerId,
    workflowId: workflow.id,
  });
  const probes = isAgentsOnly ? {} : all;
  const container = containerOf(store);
  /** Of the first of the agents, whose share grows with the others'. */
  const owner = {};
  for (const [name, work] of Object.entries(createAgentProbes(container, owner)))
    probes[name] = { dataSource: container.dataSource, work };
  const costOf = new Map();
  for (const { dataSource: used } of Object.values(probes)) if (!costOf.has(used)) costOf.set(used, listen(used));
  const costs = {};
  for (const [from, to] of [
    [0, rows],
    [rows, rows * 10],
  ]) {
    if (!isAgentsOnly) await addHistory(dataSource, { ownerId, readerId, workflowId: workflow.id, from, to });
    Object.assign(owner, await addAgentHistory(dataSource, { from: from / 2, to: to / 2 }));
    for (const [name, { dataSource: used, work }] of Object.entries(probes)) {
      await work();
      (costs[name] ??= []).push(await costOf.get(used)(work));
    }
  }
  await module.close();
  await close();
  for (const [name, [few, many]] of Object.entries(costs)) {
    const ratio = many.buffers / Math.max(1, few.buffers);
    const figures = `${few.buffers} buffers at ${rows} rows, ${many.buffers} at ${rows * 10}: ${ratio.toFixed(2)} x`;
    const least = COUNTING.has(name) ? MOST_COUNTING : NOISE;
    const holds = many.statements > 0 && (ratio < MOST_GROWTH || many.buffers <= least);
    bars.check(name, holds ? figures : `${figures}; ${many.worst}`, holds);
  }
}

/** How many transactions there were so far, statements of their own included. */
async function transactions() {
  await sleep(1500);
  const [row] = await deployment.dataSource.query(
    'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row.n);
}

/** Each app as one process, then as two: what the second adds is what every further one does. */
async function idle() {
  const rates = [];
  for (let replicas = 1; replicas <= 2; replicas += 1) {
    for (const app of ['api', 'indexer', 'workflow-runner']) await deployment.start(app);
    await sleep(5000);
    const before = await transactions();
    const began = performance.now();
    await sleep(idleSeconds * 1000);
    rates.push(((await transactions()) - before) / ((performance.now() - began) / 1000));
  }
  const [one, two] = rates;
  const each = two - one;
  for (const replicas of [1, 4, REPLICAS]) {
    const rate = one + each * (replicas - 1);
    const name = `${replicas} idle replicas of each app`;
    const how = replicas === 1 ? '' : ` (each further one adds ${each.toFixed(1)})`;
    if (replicas === REPLICAS) bars.check(name, `${rate.toFixed(0)} transactions/s${how}`, rate < 100);
    else console.log(`        ${name}: ${rate.toFixed(1)} transactions/s${how}`);
  }
}

try {
  if (rows > 0) await atWork();
  if (idleSeconds > 0) await idle();
  bars.finish();
} finally {
  await deployment.stop();
}
