/**
 * Claims runs that nobody has claimed before, each for the worker at its place. Left out of the answer, for a claim that
 * knows everything: what was begun before, goes on from another run, is the body of a node, or has a large payload; what
 * somebody else holds; and what there is not.
 *
 * One function claims them all, because most of what one claim costs Postgres is to plan it. Each row is found by its key
 * (no joins by hashing or merging: the plan is made once, while the tables may be small).
 */
export const workflowBeginRuns = `
CREATE OR REPLACE FUNCTION workflow_begin_runs(p_runs uuid[], p_workers text[], p_lease_seconds integer, p_max_payload integer)
RETURNS TABLE(id uuid, workflow_id uuid, owner_id integer, version integer, content_revision integer, fence integer,
  lost_leases integer, payload_text text, parent_version integer, start_node_id text, run_to_the_end boolean,
  save_outputs boolean, correlation_id text, parent_run_id uuid, is_concurrent boolean, started_at timestamptz,
  lease_owner text, lag double precision, acts_as jsonb)
LANGUAGE plpgsql
SET plan_cache_mode TO 'force_generic_plan'
SET enable_seqscan TO 'off'
SET enable_hashjoin TO 'off'
SET enable_mergejoin TO 'off'
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH held AS MATERIALIZED (
    SELECT r.id FROM workflow_runs r
    WHERE r.id = ANY(p_runs) AND r.status = 'PENDING' AND r.fence = 0 AND r.lost_leases = 0 AND r.lease_owner IS NULL
      AND r.parent_version IS NULL AND (r.parent_key IS NULL OR r.parent_key NOT LIKE 'body:%')
      AND (r.payload IS NULL OR pg_column_size(r.payload) <= p_max_payload)
    FOR NO KEY UPDATE SKIP LOCKED),
  begun AS (
    UPDATE workflow_runs r SET status = 'RUNNING', fence = 1, lease_owner = c.worker,
      lease_expires_at = now() + p_lease_seconds * interval '1 second', wake_at = NULL,
      started_at = coalesce(r.started_at, now())
    FROM held h JOIN unnest(p_runs, p_workers) AS c(run, worker) ON c.run = h.id, workflows w JOIN users o ON o.id = w.owner_id
    WHERE r.id = h.id AND w.id = r.workflow_id AND o.is_active
    RETURNING r.*, w.owner_id AS whose)
  SELECT b.id, b.workflow_id, b.whose, b.version, b.content_revision, b.fence, b.lost_leases, b.payload::text,
    b.parent_version, b.start_node_id, b.run_to_the_end, b.save_outputs, b.correlation_id, b.parent_run_id,
    b.is_concurrent, b.started_at, b.lease_owner, extract(epoch FROM now() - q.queued_at)::double precision, v.acts_as
  FROM begun b LEFT JOIN workflow_requests q ON q.id = b.queue_request_id
    LEFT JOIN workflow_revisions v ON v.workflow_id = b.workflow_id AND v.content_revision = b.content_revision;
END $$`;
