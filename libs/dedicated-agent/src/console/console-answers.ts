import { endForeignTurn } from '@app/agents';
import type { EntityManager } from 'typeorm';
import type { AgentRunRecord } from '../runs/agent-run.js';

const STATUSES = { completed: 'completed', cancelled: 'interrupted' } as const;

/**
 * The answer of a run of the console, among the messages of its session; a `RunEndedListener`. Of our own loop the turn has
 * it already.
 */
export async function keepConsoleAnswer(tx: EntityManager, run: AgentRunRecord): Promise<void> {
  if (run.origin !== 'chat' || run.sessionId === null) return;
  const { id, status, output, usage, error } = run;
  const { input_tokens: promptTokens, output_tokens: completionTokens } = usage ?? {};
  await endForeignTurn(tx, id, {
    status: status === 'completed' || status === 'cancelled' ? STATUSES[status] : 'failed',
    answer: output || (await toldText(tx, id)),
    usage: promptTokens === undefined || completionTokens === undefined ? null : { promptTokens, completionTokens },
    error,
    extras: null,
  });
}

/** What was told of the answer until then. */
async function toldText(tx: EntityManager, runId: string): Promise<string> {
  const [{ text }] = await tx.query<[{ text: string }]>(
    `SELECT coalesce(string_agg(data->>'delta', '' ORDER BY seq), '') AS text FROM dedicated_agent_events
     WHERE run_id = $1 AND event = 'message.delta'`,
    [runId],
  );
  return text;
}
