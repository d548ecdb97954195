export const workflowScheduleRunStarted = `
CREATE OR REPLACE FUNCTION workflow_schedule_run_started()
RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
BEGIN
  UPDATE workflow_schedules SET last_run_at = now(), last_run_version = NEW.version, last_status = 'RUNNING'
  WHERE id = NEW.schedule_id;
  RETURN NULL;
END $$`;
