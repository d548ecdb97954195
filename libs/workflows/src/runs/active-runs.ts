/**
 * SQL of a table expression: the runs that have not ended. Both partial indexes together hold them, but a statement
 * that does not ask for each of them by name reads every run there ever was.
 */
export const ACTIVE_RUNS = `(
  SELECT * FROM workflow_runs WHERE status IN ('PENDING', 'RUNNING') AND NOT is_concurrent
  UNION ALL SELECT * FROM workflow_runs WHERE status IN ('PENDING', 'RUNNING') AND is_concurrent)`;
