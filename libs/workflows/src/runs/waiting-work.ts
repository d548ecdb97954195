import type { WaitingRows } from '@app/entities';

/** What waits for a workflow-runner, for its metrics. */
export const WAITING_RUNS: readonly WaitingRows[] = [
  {
    work: 'runs',
    from: 'workflow_runs',
    where: `status = 'PENDING'`,
    since: 'created_at',
  },
  {
    work: 'webhook requests',
    from: 'workflow_requests',
    where: `status = 'pending' AND NOT awaiting_approval`,
    since: 'queued_at',
  },
];
