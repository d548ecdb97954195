// 10,000 schedules: how long after its time a run starts; spread over a minute, then all at one instant.
// `npm run bench -- schedules [schedules] [--runners n]`.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startDeployment } from './support/deployment.mjs';
import { Bars, quantile } from './support/figures.mjs';

const { values, positionals } = parseArgs({
  options: { runners: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const schedules = Number(positionals[0] ?? 10_000);
const BAR_MS = 2_000;
const definition = {
  name: 'Scheduled',
  nodes: [
    { id: 'start', kind: 'schedule_trigger', next: ['end'] },
    { id: 'end', kind: 'template', params: { template: 'It was {{_output.start.slot_time}}.' } },
  ],
};

const runners = Array.from({ length: Number(values.runners) }, () => 'workflow-runner');
const deployment = await startDeployment({ apps: ['api', ...runners] });
const { dataSource } = deployment;
const bars = new Bars();

/** One workflow each, copied from one that the api made; none of their schedules is due yet. */
async function prepare() {
  const client = await deployment.signUp();
  const { workflow_id: model } = await client.json('POST', '/microservices/workflow/start/', { json: definition });
  await dataSource.query(
    `WITH copies AS (
       INSERT INTO workflows (id, owner_id, name)
       SELECT gen_random_uuid(), w.owner_id, w.name FROM workflows w, generate_series(1, $2) WHERE w.id = $1 RETURNING id),
     revisions AS (
       INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec)
       SELECT c.id, 1, r.name, r.json_spec FROM copies c, workflow_revisions r WHERE r.workflow_id = $1)
     INSERT INTO workflow_schedules (id, workflow_id, name, kind, interval_minutes, timezone, enabled, state,
       overlap_policy, catchup_window_seconds, jitter_seconds, anchor_at)
     SELECT gen_random_uuid(), id, 'Often', 'interval', 60, 'UTC', true, 'active', 'skip', 3600, 0, now() FROM copies`,
    [model, schedules],
  );
  await dataSource.query('VACUUM ANALYZE');
}

/** @returns {Promise<{ fired: number[], started: number[], seconds: number }>} milliseconds after the slot */
async function round(spreadMs) {
  const [{ first }] = await dataSource.query(
    `WITH planned AS (
       UPDATE workflow_schedules s SET anchor_at = n.at, next_run_at = n.at, due_at = n.at
       FROM (SELECT id, date_trunc('milliseconds', now()) + interval '5 seconds'
               + (row_number() OVER (ORDER BY id) - 1) * $1 / $2::float8 * interval '1 ms' AS at FROM workflow_schedules) n
       WHERE n.id = s.id RETURNING s.next_run_at)
     SELECT min(next_run_at) AS first FROM planned`,
    [spreadMs, schedules],
  );
  for (;;) {
    const [{ count }] = await dataSource.query(
      `SELECT count(*)::int FROM workflow_runs WHERE created_at >= $1 AND status = 'COMPLETED'`,
      [first],
    );
    if (count >= schedules) break;
    if (Date.now() - first.getTime() > spreadMs + 120_000)
      throw new Error(`${count} of ${schedules} runs were completed.`);
    await sleep(250);
  }
  const rows = await dataSource.query(
    `SELECT extract(epoch FROM s.fired_at - s.slot_time)::float8 * 1000 AS fired,
       extract(epoch FROM r.started_at - s.slot_time)::float8 * 1000 AS started, r.finished_at
     FROM workflow_schedule_slots s JOIN workflow_runs r ON r.id = s.started_id WHERE s.slot_time >= $1`,
    [first],
  );
  if (rows.length !== schedules) throw new Error(`${rows.length} slots of ${schedules} fired.`);
  const last = Math.max(...rows.map((row) => row.finished_at.getTime()));
  return {
    fired: rows.map((row) => row.fired),
    started: rows.map((row) => row.started),
    seconds: (last - first.getTime()) / 1000,
  };
}

const line = (list) =>
  `p50 ${quantile(list, 0.5).toFixed(0)} ms, p99 ${quantile(list, 0.99).toFixed(0)} ms, max ${Math.max(...list).toFixed(0)} ms`;

try {
  await prepare();
  const spread = await round(60_000);
  console.log(`${schedules} schedules over a minute, ${values.runners} runner(s): slots fire ${line(spread.fired)}`);
  bars.check(`start lag p99 < ${BAR_MS} ms`, line(spread.started), quantile(spread.started, 0.99) < BAR_MS);
  const burst = await round(0);
  console.log(
    `All at one instant: slots fire ${line(burst.fired)}; runs start ${line(burst.started)}; all done in ${burst.seconds.toFixed(1)} s`,
  );
  bars.finish();
} finally {
  await deployment.stop();
}
