export const workflowStopRun = `
CREATE OR REPLACE FUNCTION workflow_stop_run(p_run uuid, p_detail text, p_error jsonb)
RETURNS workflow_runs
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_run workflow_runs;
  v_child uuid;
BEGIN
  UPDATE workflow_runs SET status = 'STOPPED', finished_at = now(), lease_owner = NULL, lease_expires_at = NULL,
    wake_at = NULL, error = p_error
  WHERE id = p_run AND status IN ('PENDING', 'RUNNING') RETURNING * INTO v_run;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE workflow_run_nodes SET status = 'STOPPED', finished_at = now(), waiting = NULL
  WHERE run_id = v_run.id AND status IN ('PENDING', 'RUNNING', 'WAITING');
  UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = p_detail
  WHERE id = v_run.queue_request_id AND status = 'running';
  IF v_run.parent_run_id IS NOT NULL THEN
    INSERT INTO workflow_signals (run_id, node_id, wait_id, value)
    SELECT v_run.parent_run_id, v_run.parent_node_id, v_run.parent_key,
      jsonb_build_object('runId', p_run, 'status', 'STOPPED', 'error', p_error)
    WHERE EXISTS (SELECT 1 FROM workflow_runs WHERE id = v_run.parent_run_id AND status IN ('PENDING', 'RUNNING'))
    ON CONFLICT DO NOTHING;
  END IF;
  FOR v_child IN SELECT id FROM workflow_runs WHERE parent_run_id = p_run AND status IN ('PENDING', 'RUNNING') LOOP
    PERFORM workflow_stop_run(v_child, p_detail, p_error);
  END LOOP;
  RETURN v_run;
END $$`;
