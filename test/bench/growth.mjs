// What the platform's own statements cost when there is ten times as much history: real services run against generated
// rows, Postgres explains what they send, and the buffers are compared. Then how many statements idle replicas send.
// `npm run bench -- growth [rows=20000] [idle seconds=20]`. Bars: < 1.5 times the buffers; < 100 statements/s at 30 replicas.
import './support/typescript.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDeployment } from './support/deployment.mjs';
import { explainAll, listen } from './support/explained-statements.mjs';
import { Bars } from './support/figures.mjs';
import { addHistory } from './support/history-rows.mjs';

const { startWorkflows, createUser, createWorkflow, fanOutAndJoin } = await import('../support/workflows.ts');
const { PostgresRunStore, RunRetention, RunSweeper, WebhookRequests } = await import('@app/workflows');
const { StorageLimits, StorageQuota } = await import('@app/entitlements');
const { DataSource } = await import('typeorm');

const [rows, idleSeconds] = [20_000, 20].map((fallback, index) => Number(process.argv[index + 2] ?? fallback));
const MOST_GROWTH = 1.5;
/** Of so few buffers, a page more is no growth. */
const NOISE = 20;
const REPLICAS = 30;

const deployment = await startDeployment({ apps: [] });
const bars = new Bars();

async function atWork() {
  const { dataSource } = deployment;
  await explainAll(dataSource);
  const module = await startWorkflows(deployment.databaseUrl);
  const ownerId = await createUser(dataSource);
  const workflow = await createWorkflow(module, ownerId, fanOutAndJoin);
  const services = module.get(DataSource, { strict: false });
  const quota = new StorageQuota(services, new StorageLimits({ storageQuotaBytes: 1e15 }));
  const costOf = listen(services);
  const probes = {
    'sweep of runs': () => module.get(RunSweeper).sweep(),
    'runs given back by a stopping worker': () => module.get(PostgresRunStore).releaseAll('worker:gone'),
    'retention of runs': () => module.get(RunRetention).sweep(),
    'listing of a webhook queue': () => module.get(WebhookRequests).list(ownerId, workflow.id, 50),
    'storage of an owner at an upload': async () => (await quota.reserve(ownerId, 1)).release(),
    'deletion of another account': async () => {
      const id = await createUser(services);
      await services.query('DELETE FROM users WHERE id = $1', [id]);
    },
  };
  const costs = {};
  for (const [from, to] of [
    [0, rows],
    [rows, rows * 10],
  ]) {
    await addHistory(dataSource, { ownerId, workflowId: workflow.id, from, to });
    for (const [name, work] of Object.entries(probes)) {
      await work();
      (costs[name] ??= []).push(await costOf(work));
    }
  }
  await module.close();
  for (const [name, [few, many]] of Object.entries(costs)) {
    const ratio = many.buffers / Math.max(1, few.buffers);
    const figures = `${few.buffers} buffers at ${rows} rows, ${many.buffers} at ${rows * 10}: ${ratio.toFixed(2)} x`;
    const holds = many.statements > 0 && (ratio < MOST_GROWTH || many.buffers <= NOISE);
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
