export const workflowRingNext = `
CREATE OR REPLACE FUNCTION workflow_ring_next(p_workflow uuid, p_run uuid, p_message jsonb)
RETURNS bigint
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_run workflow_runs;
BEGIN
  PERFORM 1 FROM workflows WHERE id = p_workflow AND deleted_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  v_run := workflow_start_next(p_workflow, p_run, NULL, 0);
  IF v_run.id IS NULL THEN RETURN NULL; END IF;
  RETURN workflow_ring(p_message || jsonb_build_object('requestId', v_run.correlation_id), 3);
END $$`;
