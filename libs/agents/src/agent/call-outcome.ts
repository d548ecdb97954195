import type { CallState } from './agent-state.js';
import { cutLine } from './bounded-text.js';
import type { AgentTool } from './tool.js';

const SHOWN_ARGUMENT = 160;

/** @param output as the model reads it */
export function finish(call: CallState, output: string, isError: boolean): void {
  call.outcome = { output, isError };
  call.status = 'done';
}

/** Of `stage:tool_finished` (docs/contract/chats.md#the-channel). */
export function finishedEvent({ call, place, outcome }: CallState, durationMs: number, error: string | null) {
  return { tool: call.name, step_id: place, success: !(outcome?.isError ?? false), duration_ms: durationMs, error };
}

/** What a person reads of a call: its most telling argument. */
export function describeCall(tool: AgentTool, input: Record<string, unknown>): string {
  const first = ['query', 'question', 'url', 'path', 'name', 'sql', 'to', 'file']
    .map((name) => input[name])
    .find((value) => typeof value === 'string' && value !== '');
  return first === undefined ? tool.title : `${tool.title}: ${cutLine(withoutQuery(first as string), SHOWN_ARGUMENT)}`;
}

/** Queries of addresses carry keys. */
function withoutQuery(text: string): string {
  const url = /^https?:/i.test(text.trim()) ? URL.parse(text.trim()) : null;
  return url ? `${url.origin}${url.pathname}` : text;
}
