import type { WaitingRows } from '@app/entities';

/** What waits for a workflow-runner, for its metrics. A turn behind another one of its conversation waits for that. */
export const WAITING_TURNS: readonly WaitingRows[] = [
  {
    work: 'turns',
    from: 'chat_turns t',
    where: `t.status = 'queued' AND t.handler <> '' AND NOT EXISTS (
      SELECT 1 FROM chat_turns o WHERE o.session_id = t.session_id AND o.handler <> ''
        AND (o.status IN ('running', 'waiting_input') OR o.status = 'queued' AND o.seq < t.seq))`,
    since: 't.created_at',
  },
];
