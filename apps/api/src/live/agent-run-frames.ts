import { APPROVAL_OPTIONS } from '@app/agents';
import type { AgentRunEvent } from '@app/dedicated-agent';
import { type FrameOf, toFrame, toTelemetry } from './chat-frames.js';

/** How what is told of a run is shown: telemetry, a piece of the answer, a question, or the end. */
export type ShownEvent =
  | { kind: 'stage'; type: string; event: unknown }
  | { kind: 'text'; text: string }
  | { kind: 'question'; requestId: string; input: Record<string, unknown> }
  | { kind: 'answered'; requestId: string; event: unknown }
  | { kind: 'end' }
  | null;

/** The log of a run in the words of the channel, whichever gateway it came from; null for what no client is shown. */
export function toShown({ event: name, data }: Pick<AgentRunEvent, 'event' | 'data'>): ShownEvent {
  switch (name) {
    case 'message.delta':
      return { kind: 'text', text: textOf(data.delta) };
    case 'stage':
      return { kind: 'stage', type: textOf(data.event_type), event: data.event ?? null };
    case 'tool.started': {
      const { tool, step_id = null, preview = '' } = data;
      return { kind: 'stage', type: 'stage:tool_started', event: { tool, step_id, step_description: preview } };
    }
    case 'tool.completed': {
      const { tool, step_id = null, duration, error, detail = null } = data;
      const duration_ms = typeof duration === 'number' ? Math.round(duration * 1000) : 0;
      const told = { tool, step_id, success: error !== true, duration_ms, error: error === true ? detail : null };
      return { kind: 'stage', type: 'stage:tool_finished', event: told };
    }
    case 'approval.request':
      return { kind: 'question', requestId: textOf(data.request_id), input: toInput(data) };
    case 'approval.responded': {
      const { request_id, choice } = data;
      return { kind: 'answered', requestId: textOf(request_id), event: { request_id, reply: { choice } } };
    }
    case 'run.steered':
      return { kind: 'stage', type: 'stage:steered', event: { message: data.message ?? '' } };
    case 'reasoning.available':
    case 'reasoning.delta':
      return { kind: 'stage', type: 'stage:reasoning', event: { text: data.text ?? data.delta ?? '' } };
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
      return { kind: 'end' };
    default:
      return name.startsWith('subagent.')
        ? { kind: 'stage', type: `stage:${name.replace('.', '_')}`, event: data }
        : null;
  }
}

/** What is to be allowed; answered by `POST …/runs/{id}/approval/`. */
export function toApprovalFrame(of: FrameOf, input: Record<string, unknown>, seq: number | null): Buffer {
  return toFrame(of, { status: 'clarification', message: input.message, input, run_id: of.turnId }, seq);
}

/** The frames that end a run, of which the last one is no telemetry. @param told the answer as far as it was told */
export function toEndFrames(of: FrameOf, { event, data, seq }: AgentRunEvent, told: string): Buffer[] {
  const run_id = of.turnId;
  if (event === 'run.failed') {
    const [message, code] = [textOf(data.error) || 'The run failed.', textOf(data.code) || 'run_failed'];
    const final = { status: 'failed', message, code, answer: told, run_id };
    return [toTelemetry(of, 'stage:error', { message, code }, null), toFrame(of, final, seq)];
  }
  const answer = event === 'run.completed' ? textOf(data.output) : told;
  const urls = Array.isArray(data.generated_files_urls) ? data.generated_files_urls : [];
  const { mgid, dashboard_id, sources = [], usage = null } = data;
  const final = {
    status: event === 'run.completed' ? 'completed' : 'interrupted',
    message: answer,
    answer,
    run_id,
    ...(mgid !== undefined && { mgid }),
    ...(dashboard_id !== undefined && { dashboard_id }),
    generated_files_urls: urls,
    sources,
    usage,
  };
  const files = urls.length > 0 ? [toTelemetry(of, 'stage:files', { urls }, null)] : [];
  return [...files, toTelemetry(of, 'stage:done', null, null), toFrame(of, final, seq)];
}

function toInput(data: Record<string, unknown>): Record<string, unknown> {
  const { request_id, description, command, choices, tool, expires_at = null } = data;
  const options = Array.isArray(choices) ? choices.map(toOption) : [];
  const message = textOf(description) || textOf(command);
  return {
    request_id,
    kind: 'approval',
    message,
    options,
    fields: [],
    ...(tool !== undefined && { tool }),
    expires_at,
  };
}

/** In the words of the agent's chat; choices of another make have none but their own. */
function toOption(choice: unknown): { value: string; label: string } {
  const value = String(choice);
  return APPROVAL_OPTIONS.find((option) => option.value === value) ?? { value, label: value };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
