// What one person's worst workflows do to others: while 16 of them are at work all the time, other people's webhooks
// with `wait_seconds` are answered, no process ends, memory stays bounded and no heartbeat is late.
//   npm run bench -- neighbours [--seconds 60] [--only <regular expression>] [--definitions 1000] [--seed 1]
import './support/typescript.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars, megabytes, quantile, seededRandom, spread, watchMemory } from './support/figures.mjs';

const { hostileDefinition } = await import('../support/hostile-definitions.ts');
const { worstDefinitions } = await import('../support/worst-definitions.ts');
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
    definitions: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
});

const AT_ONCE = 16;
const PEOPLE = 3;
const EVERY_MS = 100;
const MEMORY = 1_500_000_000;
const ENDED = "('COMPLETED', 'FAILED', 'STOPPED')";
const LEASE_SECONDS = 20;

const deployment = await startDeployment({ apps: ['api', 'workflow-runner'] });
const runner = deployment.apps.find(({ app }) => app === 'workflow-runner');
const { dataSource } = deployment;

const harmless = {
  name: 'Harmless',
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['left', 'right'] },
    { id: 'left', kind: 'template', params: { template: 'left {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'right', kind: 'template', params: { template: 'right {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'join', kind: 'merge', params: { values: [{ $ref: '_output.left.text' }, { $ref: '_output.right.text' }] } },
  ],
};

async function create(client, definition) {
  const { workflow_id: id } = await client.json('POST', '/microservices/workflow/start/', { json: definition });
  const { webhook_id, webhook_secret } = await client.json('GET', `/microservices/workflow/${id}/`);
  return { id, credential: { webhook_id, webhook_secret } };
}

async function call(credential, more = {}) {
  const response = await fetch(`${deployment.base}/microservices/workflow/webhook/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...credential, payload: { n: 1 }, ...more }),
  });
  return { status: response.status, body: await response.json() };
}

/** Calls again and again until told to stop. */
function neighbours(workflows) {
  const latencies = [];
  const wrong = [];
  const over = new AbortController();
  const work = workflows.map(async ({ credential }) => {
    while (!over.signal.aborted) {
      const from = performance.now();
      const { status, body } = await call(credential, { wait_seconds: 25 });
      latencies.push(performance.now() - from);
      if (body.status !== 'done') wrong.push(`${status} ${JSON.stringify(body).slice(0, 200)}`);
      await sleep(EVERY_MS);
    }
  });
  return { latencies, wrong, stop: () => (over.abort(), Promise.all(work)) };
}

/** The shortest time that was left of any lease: a heartbeat that is late shows here first. */
function watchLeases() {
  const watch = { left: Infinity, stop: () => clearInterval(timer) };
  const look = async () => {
    const [{ left }] = await dataSource.query(
      `SELECT extract(epoch FROM min(lease_expires_at) - now()) AS left FROM workflow_runs
       WHERE status = 'RUNNING' AND lease_owner IS NOT NULL`,
    );
    if (left !== null) watch.left = Math.min(watch.left, Number(left));
  };
  const timer = setInterval(() => void look().catch(() => undefined), 250);
  return watch;
}

const activeRuns = async (ids) => {
  const [{ count }] = await dataSource.query(
    `SELECT count(*)::int AS count FROM workflow_runs WHERE workflow_id = ANY($1) AND status NOT IN ${ENDED}`,
    [ids],
  );
  return count;
};

/** Keeps every workflow at work until the time is over. */
async function keepAtWork(workflows, until) {
  for (const { credential } of workflows) await call(credential);
  while (performance.now() < until) {
    await sleep(500);
    for (const { id, credential } of workflows) if ((await activeRuns([id])) === 0) await call(credential);
  }
}

/** Each once, so many at a time, none longer than a minute. */
async function workOff(definitions, client) {
  const pending = [...definitions.entries()];
  let refused = 0;
  const reasons = new Set();
  const one = async () => {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const [index, definition] = next;
      const workflow = await create(client, definition).catch(
        (error) => (reasons.add(error.message.slice(0, 300)), null),
      );
      if (!workflow) refused += 1;
      else {
        await call(workflow.credential);
        const deadline = performance.now() + 60_000;
        await sleep(100);
        while ((await activeRuns([workflow.id])) > 0 && performance.now() < deadline) await sleep(200);
      }
      if (index % 100 === 99) console.log(`${index + 1} definitions, ${megabytes(memory.peak)} at most`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  for (const reason of [...reasons].slice(0, 10)) console.log(`  refused: ${reason}`);
  return refused;
}

const bars = new Bars();
const memory = watchMemory(runner.pid);
const leases = watchLeases();
try {
  const attacker = await deployment.signUp();
  const people = [];
  for (let index = 0; index < PEOPLE; index += 1) people.push(await create(await deployment.signUp(), harmless));
  const quiet = neighbours(people);
  await sleep(5_000);
  await quiet.stop();
  console.log(`quiet: ${spread(quiet.latencies)}`);

  const count = Number(options.definitions);
  const random = seededRandom(Number(options.seed));
  const busy = neighbours(people);
  if (count > 0) {
    const refused = await workOff(
      Array.from({ length: count }, () => hostileDefinition(random)),
      attacker,
    );
    console.log(`${count} definitions, ${refused} refused when they were saved`);
  } else {
    const wanted = new RegExp(options.only);
    const worst = Object.entries(worstDefinitions).filter(([name]) => wanted.test(name));
    const workflows = [];
    for (const [name, nodes] of worst) workflows.push(await create(attacker, { name, nodes }));
    await keepAtWork(workflows, performance.now() + Number(options.seconds) * 1_000);
    const rows = await dataSource.query(
      `SELECT w.name, r.status, coalesce(r.error->>'code', '-') AS code, count(*)::int AS count FROM workflow_runs r
       JOIN workflows w ON w.id = r.workflow_id WHERE w.id = ANY($1) GROUP BY 1, 2, 3 ORDER BY 1`,
      [workflows.map(({ id }) => id)],
    );
    for (const { name, status, code, count: runs } of rows) console.log(`  ${name}: ${runs} ${status} ${code}`);
  }
  await busy.stop();
  memory.stop();
  leases.stop();
  console.log(`under attack: ${spread(busy.latencies)} of ${busy.latencies.length} calls`);
  for (const one of busy.wrong.slice(0, 5)) console.log(`  ${one}`);
  const p95 = quantile(busy.latencies, 0.95);
  // Saving so many definitions costs the api and the database, too: there it is told only.
  if (count === 0) bars.check('p95 of others’ webhooks with wait_seconds < 300 ms', `${p95.toFixed(0)} ms`, p95 < 300);
  bars.check('all of them done', `${busy.wrong.length} are not`, busy.wrong.length === 0);
  const ended = deployment.apps.filter((one) => one.ended).map(({ app }) => app);
  bars.check('no process ended', ended.join(', ') || 'none', ended.length === 0);
  const [{ lost }] = await dataSource.query('SELECT coalesce(max(lost_leases), 0) AS lost FROM workflow_runs');
  bars.check('no lease lost', `${lost}, at least ${leases.left.toFixed(1)} s left`, Number(lost) === 0);
  bars.check(
    'heartbeat never late by more than 2 s',
    `${leases.left.toFixed(1)} s left`,
    leases.left > LEASE_SECONDS - 3,
  );
  bars.check('runner and its processes < 1.5 GB', megabytes(memory.peak), memory.peak < MEMORY);
} finally {
  memory.stop();
  leases.stop();
  await deployment.stop();
}
bars.finish();
