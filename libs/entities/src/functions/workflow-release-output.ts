export const workflowReleaseOutput = `
CREATE OR REPLACE FUNCTION workflow_release_output()
RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
BEGIN
  PERFORM 1 FROM workflow_stored_outputs WHERE storage_key = old.storage_key;
  IF FOUND THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(old.storage_key, 0));
    PERFORM 1 FROM workflow_stored_outputs WHERE storage_key = old.storage_key;
    IF FOUND THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO loose_files (storage_key, removable_at) VALUES (old.storage_key, now())
  ON CONFLICT (storage_key) DO UPDATE SET removable_at = excluded.removable_at;
  RETURN NULL;
END $$`;
