export const usersSuspendWork = `
CREATE OR REPLACE FUNCTION users_suspend_work()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  WITH held AS (
    SELECT r.id FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id
    WHERE w.owner_id = NEW.id AND r.status = 'RUNNING' AND r.lease_owner IS NOT NULL
    FOR NO KEY UPDATE OF r SKIP LOCKED)
  UPDATE workflow_runs r SET fence = r.fence + 1, lease_owner = NULL, lease_expires_at = NULL, wake_at = now()
  FROM held WHERE r.id = held.id;
  WITH held AS (
    SELECT t.id FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
    WHERE s.user_id = NEW.id AND t.status = 'running' AND t.handler <> ''
    FOR NO KEY UPDATE OF t SKIP LOCKED)
  UPDATE chat_turns t SET status = 'queued', attempt = t.attempt + 1, lease_owner = NULL, lease_expires_at = NULL,
    deadline_at = NULL
  FROM held WHERE t.id = held.id;
  RETURN NULL;
END $$`;
