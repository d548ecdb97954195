export const workflowFinishRun = `
CREATE OR REPLACE FUNCTION workflow_finish_run(p_run uuid, p_fence integer, p_status text, p_error jsonb, p_nodes json, p_outputs json, p_next_run uuid, p_worker text, p_lease_seconds integer, p_message jsonb, OUT accepted boolean, OUT next_run workflow_runs, OUT owner_id integer, OUT outbox_id bigint, OUT parent_run_id uuid)
RETURNS record
LANGUAGE plpgsql
AS $$
DECLARE
  v_workflow record;
  v_run record;
  v_succeeded integer := 0;
  v_child uuid;
BEGIN
  accepted := false;
  SELECT w.id, w.owner_id, w.pending_requests, w.deleted_at INTO v_workflow FROM workflows w WHERE w.id = (SELECT workflow_id FROM workflow_runs WHERE id = p_run)
  FOR NO KEY UPDATE;
  UPDATE workflow_runs r SET status = p_status, finished_at = now(), lease_owner = NULL, lease_expires_at = NULL,
    wake_at = NULL, error = p_error
  WHERE id = p_run AND fence = p_fence AND status = 'RUNNING'
  RETURNING r.queue_request_id, r.parent_run_id, r.parent_node_id, r.parent_key, r.is_concurrent INTO v_run;
  IF NOT FOUND THEN RETURN; END IF;
  accepted := true;
  owner_id := v_workflow.owner_id;
  PERFORM workflow_write_nodes(p_run, p_nodes);
  IF p_outputs IS NOT NULL THEN PERFORM workflow_write_outputs(v_workflow.id, p_run, p_outputs); END IF;
  IF v_run.queue_request_id IS NOT NULL THEN
    UPDATE workflow_requests SET finished_at = now(), detail = coalesce(left(p_error->>'message', 500), ''),
      status = CASE p_status WHEN 'COMPLETED' THEN 'done' WHEN 'FAILED' THEN 'failed' ELSE 'cancelled' END
    WHERE id = v_run.queue_request_id AND status = 'running';
  END IF;
  IF p_status = 'COMPLETED' THEN
    v_succeeded := (coalesce(v_run.parent_key, '') NOT LIKE 'body:%')::integer;
  ELSE
    FOR v_child IN SELECT r.id FROM workflow_runs r WHERE r.parent_run_id = p_run AND r.status IN ('PENDING', 'RUNNING') LOOP
      PERFORM workflow_stop_run(v_child, 'The run that started it has ended.', jsonb_build_object(
        'nodeId', NULL, 'code', 'stopped', 'message', 'The run that started it has ended.'));
    END LOOP;
  END IF;
  IF v_run.parent_run_id IS NOT NULL THEN
    INSERT INTO workflow_signals (run_id, node_id, wait_id, value)
    VALUES (v_run.parent_run_id, v_run.parent_node_id, v_run.parent_key,
      jsonb_build_object('runId', p_run, 'status', p_status, 'error', p_error))
    ON CONFLICT DO NOTHING;
    parent_run_id := v_run.parent_run_id;
  END IF;
  IF NOT v_run.is_concurrent AND v_workflow.pending_requests > 0 AND v_workflow.deleted_at IS NULL THEN
    next_run := workflow_start_next(v_workflow.id, p_next_run, p_worker, p_lease_seconds, v_succeeded);
  END IF;
  -- Where another run begins, that was counted in the same write.
  IF v_succeeded > 0 AND next_run.id IS NULL THEN
    UPDATE workflows SET successful_run_count = successful_run_count + 1 WHERE id = v_workflow.id;
  END IF;
  IF p_worker IS NULL AND next_run.id IS NOT NULL THEN
    outbox_id := workflow_ring(p_message || jsonb_build_object('requestId', next_run.correlation_id), 3);
  END IF;
END $$`;
