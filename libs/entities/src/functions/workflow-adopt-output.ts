export const workflowAdoptOutput = `
CREATE OR REPLACE FUNCTION workflow_adopt_output()
RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_file jsonb := new.output->'$stored';
  v_key text := v_file->>'key';
BEGIN
  PERFORM 1 FROM workflow_stored_outputs
  WHERE run_id = new.run_id AND node_id = new.node_id AND storage_key = v_key;
  IF FOUND THEN RETURN NULL; END IF;
  DELETE FROM loose_files WHERE storage_key = v_key;
  IF NOT FOUND THEN
    PERFORM 1 FROM workflow_stored_outputs WHERE storage_key = v_key FOR KEY SHARE;
    IF NOT FOUND THEN RAISE EXCEPTION 'The stored output % is gone.', v_key; END IF;
  END IF;
  DELETE FROM workflow_stored_outputs WHERE run_id = new.run_id AND node_id = new.node_id;
  INSERT INTO workflow_stored_outputs (run_id, node_id, storage_key, size_bytes, sha256)
  VALUES (new.run_id, new.node_id, v_key, (v_file->>'size')::bigint, v_file->>'sha256');
  RETURN NULL;
END $$`;
