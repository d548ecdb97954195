export const workflowStop = `
CREATE OR REPLACE FUNCTION workflow_stop(p_workflow uuid, p_request uuid, p_detail text, p_next_run uuid, p_message jsonb, OUT run_ids uuid[], OUT run_version integer, OUT nodes_stopped integer, OUT outbox_id bigint)
RETURNS record
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_id uuid;
  v_run workflow_runs;
  v_count integer;
BEGIN
  PERFORM 1 FROM workflows WHERE id = p_workflow AND deleted_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  FOR v_id IN SELECT id FROM workflow_runs WHERE workflow_id = p_workflow AND status IN ('PENDING', 'RUNNING')
    AND parent_run_id IS NULL AND (p_request IS NULL OR queue_request_id = p_request) ORDER BY is_concurrent, version
  LOOP
    v_run := workflow_stop_run(v_id, p_detail, jsonb_build_object(
      'nodeId', NULL, 'code', 'stopped', 'message', p_detail));
    CONTINUE WHEN v_run.id IS NULL;
    SELECT count(*) INTO v_count
    FROM workflow_revisions r, json_array_elements((r.json_spec->'nodes')::json) AS node
    WHERE r.workflow_id = p_workflow AND r.content_revision = v_run.content_revision AND NOT EXISTS (
      SELECT 1 FROM workflow_run_nodes n WHERE n.run_id = v_run.id AND n.node_id = node->>'id'
        AND n.status <> 'STOPPED');
    run_ids := run_ids || v_run.id;
    run_version := coalesce(run_version, v_run.version);
    nodes_stopped := coalesce(nodes_stopped, 0) + v_count;
  END LOOP;
  IF run_ids IS NOT NULL THEN outbox_id := workflow_ring_next(p_workflow, p_next_run, p_message); END IF;
END $$`;
