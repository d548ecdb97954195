/** Starts what waits first in the queue. @param p_succeeded runs that have just succeeded, to be counted with it */
export const workflowStartNext = `
DROP FUNCTION IF EXISTS workflow_start_next(uuid, uuid, text, integer);
CREATE OR REPLACE FUNCTION workflow_start_next(p_workflow uuid, p_run uuid, p_worker text, p_lease_seconds integer, p_succeeded integer DEFAULT 0)
RETURNS workflow_runs
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_request workflow_requests;
  v_run workflow_runs;
BEGIN
  PERFORM 1 FROM workflow_runs WHERE workflow_id = p_workflow AND status IN ('PENDING', 'RUNNING') AND NOT is_concurrent;
  IF FOUND THEN RETURN NULL; END IF;
  SELECT * INTO v_request FROM workflow_requests
  WHERE workflow_id = p_workflow AND status = 'pending' AND NOT awaiting_approval
  ORDER BY seq LIMIT 1 FOR UPDATE;
  IF NOT FOUND OR v_request.awaiting_files THEN RETURN NULL; END IF;
  IF v_request.file_urls <> '{}' THEN
    v_request.payload := workflow_request_payload(v_request.id, v_request.payload::json);
  END IF;
  v_run := workflow_create_run(p_workflow, p_run, jsonb_build_object(
      'trigger', CASE WHEN v_request.schedule_id IS NULL THEN 'webhook' ELSE 'schedule' END,
      'requestId', v_request.id, 'scheduleId', v_request.schedule_id,
      'taken', 1, 'succeeded', p_succeeded),
    v_request.payload::json, v_request.start_node_id, v_request.run_to_the_end, true, v_request.correlation_id, p_worker,
    p_lease_seconds);
  UPDATE workflow_requests SET status = 'running', run_version = v_run.version, started_at = now(),
    finished_at = NULL, detail = '' WHERE id = v_request.id;
  RETURN v_run;
END $$`;
