/**
 * Makes a run. `p_origin` says why there is one, and with `taken` and `succeeded` what else counts in the same write of
 * the workflow: a request of its queue, and the run before.
 */
export const workflowCreateRun = `
CREATE OR REPLACE FUNCTION workflow_create_run(p_workflow uuid, p_run uuid, p_origin jsonb, p_payload json, p_start_node text, p_run_to_the_end boolean, p_save_outputs boolean, p_correlation text, p_worker text, p_lease_seconds integer)
RETURNS workflow_runs
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_trigger text := p_origin->>'trigger';
  v_concurrent boolean := coalesce((p_origin->>'isConcurrent')::boolean, false);
  v_parent integer := (p_origin->>'parentVersion')::integer;
  v_version integer;
  v_published integer;
  v_content integer;
  v_run workflow_runs;
BEGIN
  IF p_start_node IS NOT NULL AND v_parent IS NULL THEN
    SELECT r.version INTO v_parent FROM workflows w JOIN workflow_runs r ON r.id = w.current_run_id
    WHERE w.id = p_workflow;
  END IF;
  UPDATE workflows SET current_run_version = current_run_version + 1,
    current_run_id = CASE WHEN v_concurrent THEN current_run_id ELSE p_run END,
    pending_requests = pending_requests - coalesce((p_origin->>'taken')::integer, 0),
    successful_run_count = successful_run_count + coalesce((p_origin->>'succeeded')::integer, 0)
  WHERE id = p_workflow RETURNING current_run_version, published_revision, content_revision
  INTO v_version, v_published, v_content;
  INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, triggered_by_id,
    queue_request_id, schedule_id, parent_run_id, parent_node_id, parent_key, parent_version, is_concurrent,
    start_node_id, run_to_the_end, save_outputs, payload, correlation_id, fence, lease_owner, lease_expires_at,
    started_at)
  VALUES (p_run, p_workflow, v_version,
    coalesce((p_origin->>'contentRevision')::integer,
      CASE WHEN v_trigger IN ('webhook', 'schedule') THEN v_published END,
      v_content),
    CASE WHEN p_worker IS NULL THEN 'PENDING' ELSE 'RUNNING' END, v_trigger, (p_origin->>'userId')::integer,
    (p_origin->>'requestId')::uuid, (p_origin->>'scheduleId')::uuid, (p_origin->>'parentRunId')::uuid,
    p_origin->>'parentNodeId', p_origin->>'parentKey', v_parent, v_concurrent,
    p_start_node, p_run_to_the_end, p_save_outputs, p_payload, p_correlation,
    CASE WHEN p_worker IS NULL THEN 0 ELSE 1 END, p_worker,
    CASE WHEN p_worker IS NOT NULL THEN now() + p_lease_seconds * interval '1 second' END,
    CASE WHEN p_worker IS NOT NULL THEN now() END)
  RETURNING * INTO v_run;
  IF p_origin ? 'reuse' THEN
    INSERT INTO workflow_run_nodes (run_id, node_id, status, attempt, output, chosen, error, handled, waiting,
      warnings, started_at, finished_at, batch_total, batch_completed)
    SELECT p_run, n.node_id, n.status, n.attempt, n.output, n.chosen, n.error, n.handled, n.waiting, n.warnings,
      n.started_at, n.finished_at, n.batch_total, n.batch_completed
    FROM workflow_run_nodes n JOIN workflow_runs r ON r.id = n.run_id
    WHERE r.workflow_id = p_workflow AND r.version = v_parent AND p_origin->'reuse' ? n.node_id;
  END IF;
  RETURN v_run;
END $$`;
