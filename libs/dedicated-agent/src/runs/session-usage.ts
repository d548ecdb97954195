import { findConversation } from '@app/agents';
import { toJsonText } from '@app/common';
import type { EntityManager } from 'typeorm';

type Counts = Readonly<Record<string, number>>;

/**
 * What a run has used at a gateway that counts by conversations: what came to the count since it was last read. A lower
 * count is that of a gateway which has begun anew, unless the run was at work when the other count was read: then it is
 * an older one, whose share another run has had. So the runs of a conversation add up to what the gateway counted.
 * In the transaction that ends the run.
 */
export async function usageOfRun(
  tx: EntityManager,
  run: { id: string; agentId: string; userId: number; sessionId: number },
  reported: Counts,
): Promise<Counts> {
  if ((await findConversation(tx, run.userId, run.sessionId)) === null) return reported;
  await tx.query(
    'INSERT INTO dedicated_agent_session_usage (session_id, agent_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [run.sessionId, run.agentId],
  );
  const [{ counted, isNewer }] = await tx.query<[{ counted: Counts; isNewer: boolean }]>(
    `SELECT u.counted, r.created_at > u.counted_at AS "isNewer"
     FROM dedicated_agent_session_usage u JOIN dedicated_agent_runs r ON r.id = $2 WHERE u.session_id = $1 FOR UPDATE OF u`,
    [run.sessionId, run.id],
  );
  const { used, now } = share(counted, reported, isNewer);
  await tx.query(
    'UPDATE dedicated_agent_session_usage SET counted = $2::jsonb, counted_at = clock_timestamp() WHERE session_id = $1',
    [run.sessionId, toJsonText(now)],
  );
  return used;
}

/** @param isNewer whether the run began after `counted` was read */
export function share(counted: Counts, reported: Counts, isNewer: boolean): { used: Counts; now: Counts } {
  const names = Object.keys(reported);
  const isLower = names.some((name) => reported[name]! < (counted[name] ?? 0));
  if (isLower && isNewer) return { used: reported, now: reported };
  const used = names.map((name) => [name, Math.max(0, reported[name]! - (counted[name] ?? 0))] as const);
  const now = names.map((name) => [name, Math.max(reported[name]!, counted[name] ?? 0)] as const);
  return { used: Object.fromEntries(used), now: { ...counted, ...Object.fromEntries(now) } };
}
