export const workflowStartRun = `
CREATE OR REPLACE FUNCTION workflow_start_run(p_workflow uuid, p_run uuid, p_origin jsonb, p_supersede boolean, p_payload json, p_start_node text, p_run_to_the_end boolean, p_save_outputs boolean, p_correlation text, p_message jsonb, OUT outcome text, OUT version integer, OUT superseded_run_id uuid, OUT outbox_id bigint)
RETURNS record
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_next integer;
  v_detail text;
  v_old workflow_runs;
  v_run workflow_runs;
BEGIN
  SELECT current_run_version + 1 INTO v_next FROM workflows WHERE id = p_workflow AND deleted_at IS NULL
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN outcome := 'gone'; RETURN; END IF;
  SELECT r.version INTO version FROM workflow_runs r WHERE r.id = p_run;
  IF FOUND THEN outcome := 'exists'; RETURN; END IF;
  IF p_origin->>'parentRunId' IS NOT NULL THEN
    PERFORM 1 FROM workflow_runs WHERE id = (p_origin->>'parentRunId')::uuid AND status IN ('PENDING', 'RUNNING') FOR SHARE;
    IF NOT FOUND THEN outcome := 'parent_ended'; RETURN; END IF;
  END IF;
  IF NOT coalesce((p_origin->>'isConcurrent')::boolean, false) THEN
    IF NOT p_supersede AND EXISTS (
      SELECT 1 FROM workflow_runs r WHERE r.workflow_id = p_workflow AND r.status IN ('PENDING', 'RUNNING') AND NOT r.is_concurrent)
    THEN outcome := 'active'; RETURN; END IF;
    v_detail := format('Superseded by run %s.', v_next);
    v_old := workflow_stop_active(p_workflow, v_detail,
      jsonb_build_object('nodeId', NULL, 'code', 'superseded', 'message', v_detail));
  END IF;
  v_run := workflow_create_run(p_workflow, p_run, p_origin, p_payload, p_start_node, p_run_to_the_end,
    p_save_outputs, p_correlation, NULL, 0);
  outcome := 'started';
  version := v_run.version;
  superseded_run_id := v_old.id;
  outbox_id := workflow_ring(p_message, 3);
END $$`;
