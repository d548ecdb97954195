import type { StoredTurnEvent } from '@app/agents';
import type { DoneSoFar } from './turn-translation.js';

const MOST = 200;

/** The tools that a turn has called, as its log tells of them, with what each was called for. */
export async function doneIn(log: AsyncIterable<StoredTurnEvent | null>): Promise<DoneSoFar['done']> {
  const previews = new Map<unknown, string>();
  const done: DoneSoFar['done'] = [];
  for await (const event of log) {
    if (event?.type !== 'stage' || typeof event.data.event !== 'object' || event.data.event === null) continue;
    const { tool, step_id: step, step_description: preview, success } = event.data.event as Record<string, unknown>;
    if (event.data.event_type === 'stage:tool_started') previews.set(step, typeof preview === 'string' ? preview : '');
    if (event.data.event_type === 'stage:tool_finished' && done.length < MOST)
      done.push({ tool: String(tool), preview: previews.get(step) ?? '', error: success === false });
  }
  return done;
}
