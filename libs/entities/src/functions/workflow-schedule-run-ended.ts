export const workflowScheduleRunEnded = `
CREATE OR REPLACE FUNCTION workflow_schedule_run_ended()
RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_message text := left(coalesce(NEW.error->>'message', 'The run failed.'), 500);
BEGIN
  UPDATE workflow_schedules SET
    last_status = CASE WHEN last_run_version = NEW.version THEN NEW.status ELSE last_status END,
    last_error = CASE NEW.status WHEN 'FAILED' THEN v_message WHEN 'COMPLETED' THEN '' ELSE last_error END,
    failure_streak = CASE NEW.status WHEN 'FAILED' THEN failure_streak + 1 WHEN 'COMPLETED' THEN 0 ELSE failure_streak END
  WHERE id = NEW.schedule_id;
  IF NEW.status = 'FAILED' THEN
    UPDATE workflow_schedules SET state = 'paused', enabled = false, next_run_at = NULL, due_at = NULL,
      claimed_until = NULL, version = version + 1,
      last_error = left(format('Paused after %s failed runs in a row. %s', failure_streak, v_message), 500)
    WHERE id = NEW.schedule_id AND state = 'active' AND failure_streak >= pause_after_failures;
  END IF;
  RETURN NULL;
END $$`;
