export const workflowStopActive = `
CREATE OR REPLACE FUNCTION workflow_stop_active(p_workflow uuid, p_detail text, p_error jsonb)
RETURNS workflow_runs
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_run uuid;
BEGIN
  SELECT id INTO v_run FROM workflow_runs WHERE workflow_id = p_workflow AND status IN ('PENDING', 'RUNNING') AND NOT is_concurrent;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN workflow_stop_run(v_run, p_detail, p_error);
END $$`;
