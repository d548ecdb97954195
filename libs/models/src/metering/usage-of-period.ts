/** SQL: `first_day`, the beginning (`at`) of the period whose days, today included, are `$2`. */
export const FIRST_DAY = `first_day AS (SELECT (date_trunc('day', now() AT TIME ZONE 'UTC') - ($2 - 1) * interval '1 day')
  AT TIME ZONE 'UTC' AS at)`;

/** SQL: the rows `m` of `model_usage` in it, on the account `$1`. */
export const OF_PERIOD = 'm.user_id = $1 AND m.created_at >= first_day.at';

/**
 * SQL, for statements that begin with `FIRST_DAY`: `used`, what the user spent (`spend`, in the currency `$3`) in each workflow of which the
 * models were used, and in which of its runs (`run_ids`).
 */
export const USED_IN_WORKFLOWS = `used AS (
  SELECT m.workflow_id, coalesce(sum(m.cost) FILTER (WHERE m.currency = $3), 0)::float8 AS spend, array_agg(DISTINCT m.run_id) AS run_ids
  FROM model_usage m, first_day WHERE ${OF_PERIOD} AND m.workflow_id IS NOT NULL GROUP BY m.workflow_id)`;
