/** Days in UTC, `YYYY-MM-DD`, both inclusive. */
export interface Period {
  from: string;
  to: string;
}

/** SQL: the `period` with its beginning (`since`) and its end (`until`), of the days `$2` and `$3`. */
export const PERIOD = `period AS (SELECT $2::date::timestamp AT TIME ZONE 'UTC' AS since,
  ($3::date + 1)::timestamp AT TIME ZONE 'UTC' AS until)`;

/** SQL: the rows `m` of `model_usage` in it. */
export const IN_PERIOD = 'm.created_at >= period.since AND m.created_at < period.until';

/**
 * SQL, for statements that begin with `PERIOD`: `used`, what the user `$1` spent (`spend`, in the currency `$4`) in each
 * workflow of which the models were used, and in which of its runs (`run_ids`).
 */
export const USED_IN_WORKFLOWS = `used AS (
  SELECT m.workflow_id, coalesce(sum(m.cost) FILTER (WHERE m.currency = $4), 0)::float8 AS spend, array_agg(DISTINCT m.run_id) AS run_ids
  FROM model_usage m, period WHERE m.user_id = $1 AND ${IN_PERIOD} AND m.workflow_id IS NOT NULL GROUP BY m.workflow_id)`;

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** @param days up to today, which counts */
export function lastDays(days: number, now = Date.now()): Period {
  return { from: dayOf(now - (days - 1) * DAY_MS), to: dayOf(now) };
}

/** All of a month that is not to come. @param month such as `2026-11` */
export function daysOfMonth(month: string, now = Date.now()): Period {
  const from = Date.parse(`${month}-01T00:00:00Z`);
  const next = new Date(from);
  const end = Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0);
  return { from: dayOf(from), to: dayOf(Math.max(from, Math.min(end, now))) };
}
