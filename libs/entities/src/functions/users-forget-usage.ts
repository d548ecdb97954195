/** What an account used by itself goes with it, whatever was counted while it went; the counts of its organisation stay. */
export const usersForgetUsage = `
CREATE OR REPLACE FUNCTION users_forget_usage()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- Changes first: a fold that has them in hand is waited for, and has put them into the total by then.
  DELETE FROM kept_total_changes WHERE kind IN ('workflow_runs', 'model_tokens') AND key = 'u' || OLD.id;
  DELETE FROM kept_totals WHERE kind IN ('workflow_runs', 'model_tokens') AND key = 'u' || OLD.id;
  DELETE FROM usage_notices WHERE pool = 'u' || OLD.id;
  RETURN NULL;
END $$`;
