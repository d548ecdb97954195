import { TurnClaims, turnWork } from '@app/agents';
import { LiveBus } from '@app/live';
import { WorkClaims } from '@app/work';
import type { TestApi } from './api.js';

const LOOK_MS = 50;
const TIMEOUT_SECONDS = 10;

/**
 * Ends every turn without a word, in the test's process: for tests that ask questions and do not care what is answered,
 * where a workflow-runner would also carry out the runs. @returns what ends it
 */
export function startMuteWorker(api: TestApi): () => Promise<void> {
  const claims = api.app.get(WorkClaims);
  const turns = api.app.get(TurnClaims);
  const live = api.app.get(LiveBus);
  const over = new AbortController();
  const work = async () => {
    while (!over.signal.aborted) {
      const queued = await api.database.dataSource.query<{ session_id: number }[]>(
        `SELECT DISTINCT session_id FROM chat_turns WHERE status = 'queued' AND handler <> ''`,
      );
      for (const { session_id: sessionId } of queued) {
        const claim = await claims.claim(turnWork, [String(sessionId)]);
        if (!claim) continue;
        await turns.begin(claim, TIMEOUT_SECONDS);
        const end = { answer: '', sources: [], usage: null, model: 'mute', extras: null, error: null };
        const seq = await turns.finish(claim, { ...end, status: 'completed' });
        const data = { status: 'completed', usage: null, error: null };
        live.publish(`turn:${claim.row.id}`, { events: [{ seq, type: 'end', data }] });
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const done = work();
  return () => {
    over.abort();
    return done;
  };
}
