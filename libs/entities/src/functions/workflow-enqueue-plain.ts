/**
 * Takes calls in as `workflow_enqueue` does, all with one statement, because most of what one call costs Postgres is the
 * statements that it consists of. Only for calls without key, files and start node. `busy`, for a call of its own there:
 * the workflow is held by somebody else, is gone, or its owner is deactivated. With `p_waits`, which is for calls of one
 * workflow, it waits for whoever holds it, and the last two are `gone`. `p_workflows` are those of the calls: to find them
 * in there, their whole text would be read once more.
 *
 * Each row is found by its key (no joins by hashing or merging: the plan is made once, while the tables may be small).
 */
export const workflowEnqueuePlain = `
DROP FUNCTION IF EXISTS workflow_enqueue_plain(json, uuid[], integer);
CREATE OR REPLACE FUNCTION workflow_enqueue_plain(p_calls json, p_workflows uuid[], p_limit integer, p_waits boolean DEFAULT false)
RETURNS TABLE(place integer, outcome text, request_id uuid, queue_position integer, state text, is_awaiting boolean, outbox_id bigint, files_outbox_id bigint)
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
  IF p_waits THEN
    SELECT array_agg(h.id) INTO v_held FROM (
      SELECT w.id FROM workflows w WHERE w.id = ANY(p_workflows) ORDER BY w.id FOR NO KEY UPDATE) h;
  ELSE
    SELECT array_agg(h.id) INTO v_held FROM (
      SELECT w.id FROM workflows w WHERE w.id = ANY(p_workflows) ORDER BY w.id FOR NO KEY UPDATE SKIP LOCKED) h;
  END IF;
  RETURN QUERY
  WITH calls AS MATERIALIZED (
    SELECT c.*, row_number() OVER (PARTITION BY c.workflow ORDER BY c.place) AS nth
    FROM json_to_recordset(p_calls) AS c(place integer, workflow uuid, request uuid, run uuid, payload json,
      "toTheEnd" boolean, correlation text, message jsonb)),
  states AS MATERIALIZED (
    SELECT w.id, w.pending_requests AS pending, w.requires_approval AS asks, w.current_run_version + 1 AS version,
      coalesce(w.published_revision, w.content_revision) AS content,
      NOT w.requires_approval
        AND NOT EXISTS (SELECT 1 FROM workflow_runs r
          WHERE r.workflow_id = w.id AND r.status IN ('PENDING', 'RUNNING') AND NOT r.is_concurrent)
        AND NOT (w.pending_requests > 0 AND EXISTS (SELECT 1 FROM workflow_requests q
          WHERE q.workflow_id = w.id AND q.status = 'pending' AND NOT q.awaiting_approval)) AS is_free
    FROM unnest(v_held) AS h(id) JOIN workflows w ON w.id = h.id JOIN users o ON o.id = w.owner_id
    WHERE w.deleted_at IS NULL AND o.is_active),
  decided AS MATERIALIZED (
    SELECT c.*, s.*, c.nth = 1 AND s.is_free AS starts, (s.pending + c.nth - s.is_free::integer)::integer AS at
    FROM calls c JOIN states s ON s.id = c.workflow),
  taken AS MATERIALIZED (SELECT d.* FROM decided d WHERE d.starts OR d.at <= p_limit),
  counted AS (
    UPDATE workflows w SET
      current_run_version = w.current_run_version + (g.run IS NOT NULL)::integer,
      current_run_id = coalesce(g.run, w.current_run_id),
      pending_requests = w.pending_requests + g.queued
    FROM (SELECT t.workflow, (array_agg(t.run) FILTER (WHERE t.starts))[1] AS run,
            count(*) FILTER (WHERE NOT t.starts)::integer AS queued FROM taken t GROUP BY t.workflow) g
    WHERE w.id = g.workflow),
  begun AS (
    INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, queue_request_id,
      is_concurrent, run_to_the_end, save_outputs, payload, correlation_id, fence)
    SELECT t.run, t.workflow, t.version, t.content, 'PENDING', 'webhook', t.request, false, t."toTheEnd", true,
      t.payload, t.correlation, 0
    FROM taken t WHERE t.starts),
  written AS (
    INSERT INTO workflow_requests (id, workflow_id, status, payload, run_to_the_end, correlation_id, awaiting_approval,
      run_version, started_at)
    SELECT t.request, t.workflow, CASE WHEN t.starts THEN 'running' ELSE 'pending' END, t.payload, t."toTheEnd",
      t.correlation, t.asks, CASE WHEN t.starts THEN t.version END, CASE WHEN t.starts THEN now() END
    FROM taken t ORDER BY t.place),
  rung AS (
    INSERT INTO outbox_messages (job, queue, job_key, payload, request_id, available_at)
    SELECT t.message->>'job', t.message->>'queue', t.message->>'jobKey', t.message->'payload',
      t.message->>'requestId', now() + interval '3 seconds'
    FROM taken t WHERE t.starts
    RETURNING id, (payload->>'runId')::uuid AS run)
  SELECT c.place,
    CASE WHEN d.place IS NULL THEN CASE WHEN p_waits THEN 'gone' ELSE 'busy' END WHEN d.starts THEN 'started' WHEN d.at <= p_limit THEN 'queued' ELSE 'queue_full' END,
    c.request,
    CASE WHEN d.place IS NULL OR d.starts THEN 0 WHEN d.at <= p_limit THEN d.at ELSE greatest(d.pending, p_limit) END,
    CASE WHEN d.starts THEN 'running' WHEN d.at <= p_limit THEN 'pending' END,
    coalesce(d.asks AND d.at <= p_limit, false), b.id, NULL::bigint
  FROM calls c LEFT JOIN decided d ON d.place = c.place LEFT JOIN rung b ON b.run = d.run
  ORDER BY c.workflow, c.place;
END $$`;
