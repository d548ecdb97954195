/**
 * Keeps the totals `model_tokens`: what the ledger of models adds, by the keys and parts of `workflow_runs`. What somebody
 * asked with a key of their own is not the plan's.
 */
export const countModelTokens = `
CREATE OR REPLACE FUNCTION count_model_tokens()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO kept_total_changes (kind, key, part, change)
  SELECT 'model_tokens', counted.key, to_char(n.created_at AT TIME ZONE 'UTC', 'YYYY-MM') || counted.of,
    sum(n.prompt_tokens + n.completion_tokens)
  FROM new_rows n
    CROSS JOIN LATERAL (VALUES ('u' || n.user_id, coalesce('/o' || n.organization_id, '')),
      ('o' || n.organization_id, '')) AS counted (key, of)
  WHERE counted.key IS NOT NULL AND NOT n.own_key
  GROUP BY 2, 3 HAVING sum(n.prompt_tokens + n.completion_tokens) <> 0;
  RETURN NULL;
END $$`;
