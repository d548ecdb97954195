/**
 * Ends runs that have completed, of different workflows, as `workflow_finish_run` ends one, and starts the request that
 * waits next in each workflow: claimed for the same worker, or, where the end names none, asked for by its `message`. Only for runs that answer to no parent and hold their workflow's turn.
 * A workflow that somebody else holds is left out of the answer; a run that is no longer the worker's has
 * `accepted = false`. `p_workflows` are those of the ends: to find them in there, their whole text would be read once more.
 *
 * One statement ends them all, because most of what one end costs Postgres is the statements that it consists of. Each
 * row is found by its key (no joins by hashing or merging: the plan is made once, while the tables may be small). It also
 * counts its runs and their requests together, as `count_workflow_runs` and `count_ended_requests` would one by one, and
 * tells their triggers so (`atrium.runs_counted`, `atrium.requests_counted`).
 */
export const workflowFinishRuns = `
DROP FUNCTION IF EXISTS workflow_finish_runs(json, uuid[], integer);
CREATE FUNCTION workflow_finish_runs(p_ends json, p_workflows uuid[], p_lease_seconds integer)
RETURNS TABLE(run_id uuid, accepted boolean, owner_id integer, next_run workflow_runs, next_lag double precision, outbox_id bigint)
LANGUAGE plpgsql
SET plan_cache_mode TO 'force_generic_plan'
SET enable_seqscan TO 'off'
SET enable_hashjoin TO 'off'
SET enable_mergejoin TO 'off'
AS $$
#variable_conflict use_column
DECLARE
  v_held uuid[];
BEGIN
  -- Before anything is read of them, and in one order for everybody.
  SELECT array_agg(h.id) INTO v_held FROM (
    SELECT w.id FROM workflows w
    WHERE w.id = ANY(p_workflows)
    ORDER BY w.id FOR NO KEY UPDATE SKIP LOCKED) h;
  -- Not as a setting of the function: that is for superusers alone.
  PERFORM set_config('atrium.runs_counted', 'yes', true), set_config('atrium.requests_counted', 'yes', true);
  RETURN QUERY
  WITH ends AS MATERIALIZED (
    SELECT e.* FROM json_to_recordset(p_ends) AS e(run uuid, fence integer, workflow uuid, worker text, "nextRun" uuid,
      nodes json, outputs json, message jsonb)
    WHERE e.workflow = ANY(v_held)
    -- The order in which a heartbeat takes them.
    ORDER BY e.run),
  done AS (
    UPDATE workflow_runs r SET status = 'COMPLETED', finished_at = now(), lease_owner = NULL, lease_expires_at = NULL,
      wake_at = NULL, error = NULL
    FROM ends e WHERE r.id = e.run AND r.fence = e.fence AND r.status = 'RUNNING'
    RETURNING r.id, r.workflow_id, r.parent_run_id, r.queue_request_id, e."nextRun" AS next_id, e.worker, e.nodes, e.outputs),
  nodes AS (
    INSERT INTO workflow_run_nodes AS known (run_id, node_id, status, attempt, output, chosen, error, handled, waiting,
      warnings, started_at, finished_at, batch_total, batch_completed)
    SELECT d.id, n."nodeId", n.status, n.attempt, CASE json_typeof(n.output) WHEN 'null' THEN NULL ELSE n.output END, nullif(n.chosen, 'null'),
      nullif(n.error, 'null'), n.handled, nullif(n.waiting, 'null'), n.warnings,
      to_timestamp(n."startedAt" / 1000.0), to_timestamp(n."finishedAt" / 1000.0), n."batchTotal", n."batchCompleted"
    FROM done d, json_to_recordset(d.nodes) AS n("nodeId" text, status text, attempt integer, output json,
      chosen jsonb, error jsonb, handled boolean, waiting jsonb, warnings jsonb, "startedAt" double precision,
      "finishedAt" double precision, "batchTotal" integer, "batchCompleted" integer)
    ON CONFLICT (run_id, node_id) DO UPDATE SET status = excluded.status, attempt = excluded.attempt,
      output = excluded.output, chosen = excluded.chosen, error = excluded.error, handled = excluded.handled,
      waiting = excluded.waiting, warnings = excluded.warnings, started_at = excluded.started_at,
      finished_at = excluded.finished_at, batch_total = excluded.batch_total,
      batch_completed = excluded.batch_completed),
  outputs AS (
    INSERT INTO workflow_outputs (id, workflow_id, run_id, node_id, node_name, kind, type, value, size_bytes, title,
      media_path, mime_type, mgid, artifact_id, table_id)
    SELECT o.id, d.workflow_id, d.id, o."nodeId", o."nodeName", o.kind, o.type, CASE json_typeof(o.value) WHEN 'null' THEN NULL ELSE o.value END,
      o."sizeBytes", o.title, o."mediaPath", o."mimeType", o.mgid, o."artifactId", o."tableId"
    FROM done d, json_to_recordset(CASE json_typeof(d.outputs) WHEN 'array' THEN d.outputs END) AS o(id uuid,
      "nodeId" text, "nodeName" text, kind text, type text, value json, "sizeBytes" integer, title text,
      "mediaPath" text, "mimeType" text, mgid text, "artifactId" text, "tableId" text)
    ON CONFLICT DO NOTHING),
  answered AS (
    UPDATE workflow_requests q SET status = 'done', finished_at = now(), detail = ''
    -- In a form that no index takes, so that each is found by its key instead of among all that run.
    FROM done d WHERE q.id = d.queue_request_id AND CASE q.status WHEN 'running' THEN true ELSE false END
    RETURNING q.workflow_id),
  totals AS (
    INSERT INTO kept_total_changes (kind, key, part, change)
    SELECT 'webhook_requests', a.workflow_id::text, 'done', count(*) FROM answered a GROUP BY 2
    UNION ALL
    SELECT 'workflow_runs', used.key, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') || used.of, count(*)
    FROM done d JOIN workflows w ON w.id = d.workflow_id JOIN users u ON u.id = w.owner_id
      LEFT JOIN organizations o ON o.id = u.organization_id AND NOT o.personal
      CROSS JOIN LATERAL (VALUES ('u' || u.id, coalesce('/o' || o.id, '')), ('o' || o.id, '')) AS used (key, of)
    WHERE d.parent_run_id IS NULL AND used.key IS NOT NULL GROUP BY 2, 3),
  -- What awaits its files lets nothing overtake it.
  first AS MATERIALIZED (
    SELECT d.id AS done_id, q.id, q.schedule_id, q.start_node_id, q.run_to_the_end, q.correlation_id, q.queued_at,
      CASE WHEN q.file_urls = '{}' THEN q.payload::json ELSE workflow_request_payload(q.id, q.payload::json) END AS payload,
      -- A branch goes on from the newest run.
      CASE WHEN q.start_node_id IS NOT NULL THEN (
        SELECT r.version FROM workflows w JOIN workflow_runs r ON r.id = w.current_run_id WHERE w.id = d.workflow_id)
      END AS parent_version
    FROM done d CROSS JOIN LATERAL (
      SELECT * FROM workflow_requests o
      WHERE o.workflow_id = d.workflow_id AND o.status = 'pending' AND NOT o.awaiting_approval
      ORDER BY o.seq LIMIT 1 FOR UPDATE) q
    WHERE NOT q.awaiting_files AND EXISTS (
      SELECT 1 FROM workflows w WHERE w.id = d.workflow_id AND w.pending_requests > 0 AND w.deleted_at IS NULL)),
  counted AS (
    UPDATE workflows w SET successful_run_count = w.successful_run_count + 1,
      current_run_version = w.current_run_version + (f.id IS NOT NULL)::integer,
      current_run_id = CASE WHEN f.id IS NULL THEN w.current_run_id ELSE d.next_id END,
      pending_requests = w.pending_requests - (f.id IS NOT NULL)::integer
    FROM done d LEFT JOIN first f ON f.done_id = d.id WHERE w.id = d.workflow_id
    RETURNING w.id, w.owner_id AS whose, w.current_run_version, coalesce(w.published_revision, w.content_revision) AS content, d.id AS done_id),
  begun AS (
    INSERT INTO workflow_runs AS made (id, workflow_id, version, content_revision, status, trigger, queue_request_id,
      schedule_id, parent_version, start_node_id, run_to_the_end, save_outputs, payload, correlation_id, fence,
      lease_owner, lease_expires_at, started_at)
    SELECT d.next_id, c.id, c.current_run_version, c.content, CASE WHEN d.worker IS NULL THEN 'PENDING' ELSE 'RUNNING' END,
      CASE WHEN f.schedule_id IS NULL THEN 'webhook' ELSE 'schedule' END, f.id, f.schedule_id,
      f.parent_version, f.start_node_id, f.run_to_the_end, true, f.payload, f.correlation_id,
      (d.worker IS NOT NULL)::integer, d.worker,
      CASE WHEN d.worker IS NOT NULL THEN now() + p_lease_seconds * interval '1 second' END,
      CASE WHEN d.worker IS NOT NULL THEN now() END
    FROM first f JOIN done d ON d.id = f.done_id JOIN counted c ON c.done_id = f.done_id
    RETURNING made.queue_request_id, made.version, made AS run),
  taken AS (
    UPDATE workflow_requests q SET status = 'running', run_version = b.version, started_at = now(), finished_at = NULL,
      detail = ''
    FROM begun b WHERE q.id = b.queue_request_id)
  SELECT e.run, d.id IS NOT NULL, c.whose, b.run, extract(epoch FROM now() - f.queued_at)::double precision,
    CASE WHEN e.worker IS NULL AND f.id IS NOT NULL
      THEN workflow_ring(e.message || jsonb_build_object('requestId', f.correlation_id), 3) END
  FROM ends e LEFT JOIN done d ON d.id = e.run LEFT JOIN counted c ON c.done_id = e.run LEFT JOIN first f ON f.done_id = e.run
    LEFT JOIN begun b ON b.queue_request_id = f.id;
  PERFORM set_config('atrium.runs_counted', '', true), set_config('atrium.requests_counted', '', true);
END $$`;
