/**
 * Keeps the totals `webhook_requests`: those that have ended, by state. Of what waits and runs there is never much. A
 * statement that counts its own together says so (`atrium.requests_counted`).
 */
export const countEndedRequests = `
CREATE OR REPLACE FUNCTION count_ended_requests()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO kept_total_changes (kind, key, part, change)
    SELECT 'webhook_requests', workflow_id, status, -count(*) FROM old_rows
    WHERE status NOT IN ('pending', 'running') GROUP BY workflow_id, status;
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('atrium.requests_counted', true) = 'yes' THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND OLD.status NOT IN ('pending', 'running') THEN
    INSERT INTO kept_total_changes (kind, key, part, change) VALUES ('webhook_requests', OLD.workflow_id, OLD.status, -1);
  END IF;
  IF NEW.status NOT IN ('pending', 'running') THEN
    INSERT INTO kept_total_changes (kind, key, part, change) VALUES ('webhook_requests', NEW.workflow_id, NEW.status, 1);
  END IF;
  RETURN NULL;
END $$`;
