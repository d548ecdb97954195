import type { StoredTurnEvent, TurnEndData, TurnQuestion, TurnView } from '@app/agents';
import type { GatewayEvent } from '../gateway/agent-gateway.js';

/** Of one that a cap has ended: whoever asked gets what there was until then. */
export interface DoneSoFar {
  output: string;
  done: { tool: string; preview: string; error: boolean }[];
}

type Told = Pick<GatewayEvent, 'event' | 'data'>;

/**
 * What the log of a turn says, in the words of runs; null for what no run tells of. Text is told elsewhere.
 * @param turn for the end: with its answer @param soFar of a run that its budget has ended
 */
export function toGatewayEvent(
  event: StoredTurnEvent,
  turn: TurnView | null,
  soFar: DoneSoFar | null = null,
): Told | null {
  if (event.type === 'stage') return toStageEvent(event.data);
  if (event.type === 'question') return { event: 'approval.request', data: toRequest(event.data) };
  if (event.type === 'reply') return toResponded(event.data);
  if (event.type === 'end') return toEnd(event.data, turn, soFar);
  return null;
}

export const usageOf = (promptTokens: number, completionTokens: number): Record<string, number> => ({
  input_tokens: promptTokens,
  output_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});

function toStageEvent({ event_type: type, event }: { event_type: string; event: unknown }): Told | null {
  const fields = typeof event === 'object' && event !== null ? (event as Record<string, unknown>) : {};
  const { tool, step_id: stepId, step_description: preview, duration_ms: duration, success, error } = fields;
  if (type === 'stage:tool_started')
    return { event: 'tool.started', data: { tool, preview: preview ?? '', step_id: stepId ?? null } };
  if (type === 'stage:tool_finished') {
    const seconds = typeof duration === 'number' ? duration / 1000 : 0;
    const told = { tool, duration: seconds, error: success === false, step_id: stepId ?? null };
    return { event: 'tool.completed', data: { ...told, ...(success === false && { detail: error ?? '' }) } };
  }
  if (type === 'stage:steered') return { event: 'run.steered', data: { message: fields.message ?? '' } };
  return { event: 'stage', data: { event_type: type, event } };
}

/** Everything that would be sent is shown: what is hidden nobody can agree to. */
function toRequest({ request_id, message, options, tool, expires_at }: TurnQuestion): Record<string, unknown> {
  const choices = options.map(({ value }) => value);
  const name = tool?.name ?? '';
  return {
    request_id,
    command: tool ? `${name} ${JSON.stringify(tool.arguments)}` : '',
    description: message,
    pattern_key: name,
    pattern_keys: [name],
    choices,
    allow_permanent: choices.includes('always'),
    expires_at,
    ...(tool && { tool: { name, title: tool.title, arguments: tool.arguments } }),
  };
}

/** Of questions for words, too, which were not told of: null. */
function toResponded({
  request_id,
  reply,
}: {
  request_id: string;
  reply: Record<string, unknown> | null;
}): Told | null {
  if (reply === null)
    return { event: 'approval.responded', data: { request_id, choice: 'deny', resolved: 1, expired: true } };
  if (typeof reply.choice !== 'string') return null;
  return { event: 'approval.responded', data: { request_id, choice: reply.choice, resolved: 1 } };
}

function toEnd({ status, usage, error }: TurnEndData, turn: TurnView | null, soFar: DoneSoFar | null): Told {
  const counted = usage && usageOf(usage.prompt_tokens, usage.completion_tokens);
  if (status === 'interrupted') return { event: 'run.cancelled', data: {} };
  if (status === 'failed')
    return {
      event: 'run.failed',
      data: {
        error: error?.detail ?? '',
        code: error?.code ?? 'internal_error',
        ...(counted && { usage: counted }),
        ...soFar,
      },
    };
  const { answer = '', sources = [], extras = null } = turn ?? {};
  const more = { ...(sources.length > 0 && { sources }), ...extras };
  return { event: 'run.completed', data: { output: answer, usage: counted, ...more } };
}
