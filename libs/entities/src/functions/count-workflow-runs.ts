/**
 * Keeps the totals `workflow_runs`: a run that completes counts in the month (UTC) in which it does, whatever becomes of it
 * later. By `u<owner>`, with the shared organisation of that time in the part, and by `o<organisation>`.
 */
export const countWorkflowRuns = `
CREATE OR REPLACE FUNCTION count_workflow_runs()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO kept_total_changes (kind, key, part, change)
  SELECT 'workflow_runs', counted.key, to_char(NEW.finished_at AT TIME ZONE 'UTC', 'YYYY-MM') || counted.of, 1
  FROM workflows w JOIN users u ON u.id = w.owner_id
    LEFT JOIN organizations o ON o.id = u.organization_id AND NOT o.personal
    CROSS JOIN LATERAL (VALUES ('u' || u.id, coalesce('/o' || o.id, '')), ('o' || o.id, '')) AS counted (key, of)
  WHERE w.id = NEW.workflow_id AND counted.key IS NOT NULL;
  RETURN NULL;
END $$`;
