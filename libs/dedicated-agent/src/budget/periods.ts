import type { BudgetScope } from './caps.js';

/** The counters of a run, in the order in which they are locked: by key. @param day `YYYY-MM-DD`, in UTC */
export function countersOf(of: { runId?: string; jobId: string | null; day: string }): {
  key: string;
  scope: BudgetScope;
}[] {
  const { runId, jobId, day } = of;
  const month = day.slice(0, 7);
  return [
    { key: `day:${day}`, scope: 'day' },
    ...(jobId === null ? [] : [{ key: `job:${jobId}:${month}`, scope: 'job' as const }]),
    { key: `month:${month}`, scope: 'month' },
    ...(runId === undefined ? [] : [{ key: `run:${runId}`, scope: 'run' as const }]),
  ];
}

/** When it is counted anew; null: never. @param day in whose period we are */
export function resetOf(scope: BudgetScope, day: string): string | null {
  if (scope === 'run') return null;
  const at = new Date(`${scope === 'day' ? day : `${day.slice(0, 7)}-01`}T00:00:00.000Z`);
  if (scope === 'day') at.setUTCDate(at.getUTCDate() + 1);
  else at.setUTCMonth(at.getUTCMonth() + 1);
  return at.toISOString();
}
