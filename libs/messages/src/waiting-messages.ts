import type { WaitingRows } from '@app/entities';
import type { DataSource } from 'typeorm';

const WAITING = `state = 'waiting' AND next_attempt_at <= now() AND (leased_until IS NULL OR leased_until <= now())`;
/** A worker that lives takes them within seconds, and those of a worker that died within a minute. */
const LATE_SECONDS = 60;

/** What waits for a workflow-runner, for its metrics and for operators. */
export const WAITING_MESSAGES: readonly WaitingRows[] = [
  {
    work: 'messages',
    from: 'outgoing_messages',
    where: WAITING,
    since: 'next_attempt_at',
  },
];

/** Whether messages wait so long that nobody seems to send any. */
export async function isSendingLate(dataSource: DataSource): Promise<boolean> {
  const rows = await dataSource.query<unknown[]>(
    `SELECT FROM outgoing_messages WHERE ${WAITING} AND next_attempt_at <= now() - make_interval(secs => $1) LIMIT 1`,
    [LATE_SECONDS],
  );
  return rows.length > 0;
}
