// Dedicated agents in numbers: what an idle minute of 1,000 of them with five jobs each costs, how late jobs begin that fall
// due in one minute, how many runs an hour has room for, and what the way through the log of runs adds to a token.
//   npm run bench -- agents [--agents 1000] [--jobs 5] [--idle 60] [--streams 40] [--seconds 20] [--runs 600] [--only lag]
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuSeconds, postmasterOf } from './support/cpu-seconds.mjs';
import { startDeployment } from './support/deployment.mjs';
import { Bars, megabytes, quantile, residentTree, spread } from './support/figures.mjs';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000' },
    jobs: { type: 'string', default: '5' },
    idle: { type: 'string', default: '60' },
    streams: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '20' },
    runs: { type: 'string', default: '600' },
    only: { type: 'string', default: 'idle,lag,runs,deltas' },
  },
});
const number = (name) => Number(options[name]);
const wants = (part) => options.only.split(',').includes(part);
const LAG_BAR_MS = 2000;
const DELTA_BAR_MS = 30;
/** Of one agent, which does ten at once. */
const RUNS_OF_AGENT = 5;
/** Tokens of a run of a job, and of one of many. */
const SHORT = 20;

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

const short = await startChild('token-server', { TOKENS: String(SHORT), PACE: '1000' });
const long = await startChild('token-server', { TOKENS: String(number('seconds') * 50), PACE: '50' });
const clients = await startChild('agent-clients');
const bars = new Bars();

/** One after the other: each has a model of its own. */
async function deploy(model, work) {
  const deployment = await startDeployment({
    apps: ['api', 'workflow-runner'],
    settings: {
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
      LLM_MODEL: 'm',
      LLM_API_KEY: 'k',
      CHAT_TITLES: 'false',
    },
  });
  const postmaster = await postmasterOf(deployment.dataSource);
  const parts = [...deployment.apps.map(({ app, pid }) => [app, pid]), ['Postgres', postmaster]];
  /** CPU seconds by part of what `spent` does. */
  const costOf = async (spent) => {
    const before = parts.map(([, pid]) => cpuSeconds(pid));
    const result = await spent();
    return { result, cost: parts.map(([name, pid], at) => [name, cpuSeconds(pid) - before[at]]) };
  };
  try {
    await work({ ...deployment, parts, costOf });
  } finally {
    await deployment.stop();
  }
}

const costs = (cost, per = 1, unit = 's', times = 1) =>
  cost.map(([name, seconds]) => `${name} ${((seconds / per) * times).toFixed(2)} ${unit}`).join(', ');

/** None of their jobs is due yet. */
async function addAgents({ dataSource }) {
  await dataSource.query(
    `WITH people AS (
       INSERT INTO users (username, email, dedicated_agent)
       SELECT 'agent' || n, 'agent' || n || '@mail.example', true FROM generate_series(1, $1) n RETURNING id),
     agents AS (INSERT INTO dedicated_agents (id, user_id, status) SELECT gen_random_uuid(), id, 'running' FROM people RETURNING id)
     INSERT INTO dedicated_agent_jobs (id, agent_id, name, prompt, kind, interval_minutes, display, anchor_at, next_run_at, due_at)
     SELECT gen_random_uuid(), a.id, 'job ' || n, 'Look after it.', 'interval', 1440, 'every 1d', now(),
       now() + (2 + random() * 20) * interval '1 hour', NULL FROM agents a, generate_series(1, $2) n`,
    [number('agents'), number('jobs')],
  );
  await dataSource.query('UPDATE dedicated_agent_jobs SET due_at = next_run_at');
  await dataSource.query('VACUUM ANALYZE');
}

async function idle({ dataSource, parts, costOf }, title) {
  await sleep(5000);
  const counted = async () => {
    const [row] = await dataSource.query(
      'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row.n);
  };
  const before = await counted();
  const { cost } = await costOf(() => sleep(number('idle') * 1000));
  await sleep(1200);
  const rate = ((await counted()) - before) / (number('idle') + 1.2);
  const memory = parts.map(([name, pid]) => `${name} ${megabytes(residentTree(pid))}`).join(', ');
  console.log(`${title}, ${number('idle')} s: CPU ${costs(cost)}; ${rate.toFixed(1)} transactions/s; memory ${memory}`);
  return cost.reduce((sum, [, seconds]) => sum + seconds, 0);
}

/** @returns how late they were, in ms: the run was stored, and told of something */
async function fallDue({ dataSource, costOf }, jobs, spreadMs) {
  const [{ first }] = await dataSource.query(
    `WITH planned AS (
       UPDATE dedicated_agent_jobs j SET anchor_at = n.at, next_run_at = n.at, due_at = n.at
       FROM (SELECT id, date_trunc('milliseconds', now()) + interval '3 seconds'
               + (row_number() OVER (ORDER BY id) - 1) * $1 / $2::float8 * interval '1 ms' AS at
             FROM (SELECT DISTINCT ON (agent_id) id FROM dedicated_agent_jobs ORDER BY agent_id, id) one LIMIT $2) n
       WHERE n.id = j.id RETURNING j.next_run_at)
     SELECT min(next_run_at) AS first FROM planned`,
    [spreadMs, jobs],
  );
  const { cost } = await costOf(async () => {
    for (let open = jobs; open > 0;) {
      await sleep(250);
      const [{ ended }] = await dataSource.query(
        `SELECT count(*)::int AS ended FROM dedicated_agent_executions WHERE scheduled_for >= $1 AND status = 'ok'`,
        [first],
      );
      open = jobs - ended;
      if (Date.now() - first.getTime() > spreadMs + 180_000) throw new Error(`${open} of ${jobs} did not end.`);
    }
  });
  const rows = await dataSource.query(
    `SELECT extract(epoch FROM e.started_at - e.scheduled_for)::float8 * 1000 AS stored,
       extract(epoch FROM t.created_at - e.scheduled_for)::float8 * 1000 AS told,
       extract(epoch FROM e.finished_at - e.scheduled_for)::float8 * 1000 AS ended
     FROM dedicated_agent_executions e
     JOIN LATERAL (SELECT created_at FROM dedicated_agent_events v WHERE v.run_id = e.run_id ORDER BY seq LIMIT 1) t ON true
     WHERE e.scheduled_for >= $1`,
    [first],
  );
  if (rows.length !== jobs) throw new Error(`${rows.length} executions of ${jobs}.`);
  const of = (name) => rows.map((row) => row[name]);
  const name = spreadMs === 0 ? `${jobs} jobs due at one moment` : `${jobs} jobs due over ${spreadMs / 1000} s`;
  console.log(
    `${name}: run stored ${spread(of('stored'))}; first event ${spread(of('told'))}; ended ${spread(of('ended'))}; CPU ${costs(cost, jobs, 'ms', 1000)} a job`,
  );
  const p99 = quantile(of('stored'), 0.99);
  bars.check(`${name}: lag p99 <= ${LAG_BAR_MS} ms`, `${p99.toFixed(0)} ms`, p99 <= LAG_BAR_MS);
}

/** People with agents, as many as the runs need. */
async function owners({ dataSource, signUp }, count) {
  const people = await Promise.all(Array.from({ length: count }, () => signUp()));
  for (const { username } of people)
    await dataSource.query(
      `WITH person AS (UPDATE users SET dedicated_agent = true WHERE username = $1 RETURNING id)
       INSERT INTO dedicated_agents (id, user_id, status) SELECT $2, id, 'running' FROM person`,
      [username, randomUUID()],
    );
  return people;
}

async function asMany(deployment, { runs, atOnce, rampMs }) {
  const people = await owners(deployment, Math.ceil(atOnce / RUNS_OF_AGENT));
  const asked = Array.from({ length: runs }, (_, at) => ({
    headers: people[at % people.length].headers,
    input: `Go on, ${at}`,
  }));
  const began = performance.now();
  const { result, cost } = await deployment.costOf(() =>
    ask(clients.child, { base: deployment.base, runs: asked, rampMs }),
  );
  const seconds = (performance.now() - began) / 1000;
  if (result.errors.length > 0) console.log(`${result.errors.length} failed, the first with: ${result.errors[0]}`);
  return { ...result, cost, seconds, ended: result.readers.filter(({ end }) => end === 'run.completed').length };
}

try {
  if (['idle', 'lag', 'runs'].some(wants))
    await deploy(short, async (deployment) => {
      if (wants('idle')) await idle(deployment, 'nobody has an agent');
      await addAgents(deployment);
      if (wants('idle')) {
        const used = await idle(deployment, `${options.agents} agents with ${options.jobs} jobs each`);
        const share = used / number('idle');
        bars.check('an idle minute < 10 % of a core', `${(share * 100).toFixed(1)} %`, share < 0.1);
      }
      if (wants('lag')) {
        await fallDue(deployment, 300, 60_000);
        await fallDue(deployment, 300, 0);
        await fallDue(deployment, 500, 0);
      }
      if (wants('runs')) {
        const { ended, seconds, cost } = await asMany(deployment, { runs: number('runs'), atOnce: 200, rampMs: 0 });
        const rate = ended / seconds;
        console.log(
          `${ended} runs of ${SHORT} tokens, 200 at once: ${rate.toFixed(0)}/s; CPU ${costs(cost, ended, 'ms', 1000)} a run`,
        );
        bars.check('runs that ended as they should', `${ended} of ${options.runs}`, ended === number('runs'));
      }
    });
  if (wants('deltas'))
    await deploy(long, async (deployment) => {
      const streams = number('streams');
      const { delays, together, ended, cost } = await asMany(deployment, {
        runs: streams,
        atOnce: streams,
        rampMs: 5000,
      });
      console.log(
        `${streams} runs at 50 tokens/s: ${delays.length} tokens, ${spread(delays)}; while all were at work ${spread(together)}`,
      );
      console.log(`CPU of a token: ${costs(cost, delays.length, 'µs', 1e6)}`);
      const p95 = quantile(together, 0.95);
      bars.check(
        `from the model to a reader of the run < ${DELTA_BAR_MS} ms (p95)`,
        `${p95.toFixed(1)} ms`,
        p95 < DELTA_BAR_MS,
      );
      const whole = delays.length === streams * number('seconds') * 50 && ended === streams;
      bars.check('runs that are whole', `${ended} of ${streams}`, whole);
    });
} finally {
  for (const { child } of [short, long, clients]) child.kill();
}
bars.finish();
