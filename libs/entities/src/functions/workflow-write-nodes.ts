export const workflowWriteNodes = `
CREATE OR REPLACE FUNCTION workflow_write_nodes(p_run uuid, p_nodes json)
RETURNS void
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_consumed boolean;
  v_used boolean;
BEGIN
  INSERT INTO workflow_run_nodes AS known (run_id, node_id, status, attempt, output, chosen, error, handled,
    waiting, warnings, started_at, finished_at, batch_total, batch_completed, usage)
  SELECT p_run, n."nodeId", n.status, n.attempt, CASE json_typeof(n.output) WHEN 'null' THEN NULL ELSE n.output END, nullif(n.chosen, 'null'),
    nullif(n.error, 'null'), n.handled, nullif(n.waiting, 'null'), n.warnings,
    to_timestamp(n."startedAt" / 1000.0), to_timestamp(n."finishedAt" / 1000.0), n."batchTotal", n."batchCompleted",
    nullif(n.usage, 'null')
  FROM json_to_recordset(p_nodes) AS n("nodeId" text, status text, attempt integer, output json, chosen jsonb,
    error jsonb, handled boolean, waiting jsonb, warnings jsonb, "startedAt" double precision,
    "finishedAt" double precision, "batchTotal" integer, "batchCompleted" integer, usage jsonb)
  ON CONFLICT (run_id, node_id) DO UPDATE SET status = excluded.status, attempt = excluded.attempt,
    output = excluded.output, chosen = excluded.chosen, error = excluded.error, handled = excluded.handled,
    waiting = excluded.waiting, warnings = excluded.warnings, started_at = excluded.started_at,
    finished_at = excluded.finished_at, batch_total = excluded.batch_total,
    batch_completed = excluded.batch_completed, usage = coalesce(excluded.usage, known.usage);
  SELECT bool_or(n.consumed IS NOT NULL), bool_or(n.usage IS NOT NULL) INTO v_consumed, v_used
  FROM json_to_recordset(p_nodes) AS n(consumed json, usage json);
  IF v_consumed THEN
    UPDATE workflow_signals s SET consumed = true
    FROM json_to_recordset(p_nodes) AS n("nodeId" text, consumed jsonb)
    WHERE s.run_id = p_run AND s.node_id = n."nodeId" AND n.consumed ? s.wait_id AND NOT s.consumed;
  END IF;
  IF v_used THEN
    UPDATE workflow_runs r SET tokens = used.tokens, spend = used.spend
    FROM (SELECT coalesce(sum((usage->>'tokens')::bigint), 0) AS tokens,
            coalesce(sum((usage->>'spend')::numeric), 0) AS spend
          FROM workflow_run_nodes WHERE run_id = p_run) used
    WHERE r.id = p_run;
  END IF;
END $$`;
