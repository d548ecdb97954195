/** So many agents hold the history, whatever its size: what grows is the past. */
const AGENTS = 1000;
const JOBS = 5;
const EVENTS = 20;

/**
 * What dedicated agents of an old platform have behind them: ended runs with what was told of them, most of them of jobs.
 * Nothing of it is old enough to go, and all logs are as few rows as they can be.
 * @returns of the one agent that has a tenth of all runs `{userId, agentId, jobId, runId}`
 */
export async function addAgentHistory(dataSource, { from, to }) {
  if (from === 0) {
    await dataSource.query(
      `WITH people AS (
         INSERT INTO users (username, email, dedicated_agent)
         SELECT 'agent' || n, 'agent' || n || '@mail.example', true FROM generate_series(1, ${AGENTS}) n RETURNING id),
       agents AS (INSERT INTO dedicated_agents (id, user_id, status) SELECT gen_random_uuid(), id, 'running' FROM people RETURNING id)
       INSERT INTO dedicated_agent_jobs (id, agent_id, name, prompt, kind, interval_minutes, display, anchor_at, next_run_at, due_at)
       SELECT gen_random_uuid(), a.id, 'job ' || n, 'Look after it.', 'interval', 1440, 'every 1d', now(),
         now() + interval '1 day', now() + interval '1 day' FROM agents a, generate_series(1, ${JOBS}) n`,
    );
  }
  await dataSource.transaction(async (tx) => {
    // Their keys are known to be there: to look for each of them takes longer than to write all of it.
    await tx.query(`SET LOCAL session_replication_role = 'replica'`);
    // Ids by time, as the platform makes them; spread evenly over agents and the last 80 days.
    await tx.query(
      `WITH jobs AS (SELECT array_agg(id ORDER BY agent_id, id) AS ids, array_agg(agent_id ORDER BY agent_id, id) AS agents FROM dedicated_agent_jobs),
     runs AS (
       INSERT INTO dedicated_agent_runs (id, agent_id, status, origin, input, output, job_id, next_attempt_at, created_at, updated_at,
         finished_at, log_compacted)
       SELECT (lpad(to_hex((extract(epoch FROM t.at) * 1000)::bigint), 12, '0') || '7' || substr(md5('a' || n), 1, 3) || '8' || substr(md5('b' || n), 1, 15))::uuid,
         agents[j.at], 'completed', 'job', 'Q', 'A', ids[j.at], NULL, t.at, t.at, t.at, true
       FROM jobs, generate_series($1::int + 1, $2::int) n, LATERAL (SELECT CASE n % 10 WHEN 0 THEN 1 ELSE 1 + n % ${AGENTS * JOBS} END AS at) j,
         LATERAL (SELECT now() - (n * 7919 % 1000000) / 1000000.0 * interval '80 days' AS at) t
       RETURNING id, job_id, created_at),
     executions AS (
       INSERT INTO dedicated_agent_executions (id, job_id, scheduled_for, status, run_id, started_at, finished_at)
       SELECT gen_random_uuid(), job_id, created_at, 'ok', id, created_at, created_at FROM runs)
     INSERT INTO dedicated_agent_events (run_id, seq, event, data)
     SELECT id, s, CASE WHEN s = ${EVENTS} THEN 'run.completed' WHEN s % 7 = 0 THEN 'tool.completed' ELSE 'message.delta' END,
       '{"delta": "some words ", "tool": "code", "duration": 1}' FROM runs, generate_series(1, ${EVENTS}) s`,
      [from, to],
    );
  });
  await dataSource.query('VACUUM ANALYZE');
  const [owner] = await dataSource.query(
    `SELECT a.user_id AS "userId", a.id AS "agentId", j.id AS "jobId", (SELECT max(r.id::text) FROM dedicated_agent_runs r WHERE r.agent_id = a.id) AS "runId"
     FROM dedicated_agents a JOIN dedicated_agent_jobs j ON j.agent_id = a.id ORDER BY a.id, j.id LIMIT 1`,
  );
  return owner;
}
