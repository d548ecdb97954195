import { type GatewayEvent, RUN_BEGUN } from '../gateway/agent-gateway.js';
import type { AgentRunStatus, PendingApproval } from './agent-run.js';

/** What the row of a run shows of what was told. */
export interface RunState {
  status: AgentRunStatus;
  pending: PendingApproval[];
  lastSeq: number;
}

export function stateAfter(before: RunState, events: readonly GatewayEvent[]): RunState {
  let { status, pending } = before;
  const become = (next: AgentRunStatus) => {
    // Whoever asked for its end is told so until it ends.
    if (status !== 'stopping') status = next;
  };
  for (const { event, data } of events) {
    if (event === 'approval.request') {
      pending = [...pending, toPending(data)];
      become('waiting_for_approval');
    } else if (event === 'approval.responded') {
      const named = textOf(data.request_id);
      pending = named === '' ? pending.slice(1) : pending.filter((one) => one.request_id !== named);
      if (pending.length === 0) become('running');
    } else if (status === 'started' || status === 'queued') become('running');
  }
  const told = events.filter(({ event }) => event !== RUN_BEGUN);
  return { status, pending, lastSeq: before.lastSeq + told.length };
}

export const isOverdue = ({ expires_at: until, taken_at: at }: PendingApproval): boolean =>
  Boolean(until) && !at && Date.parse(until!) < Date.now();

/** A question was answered by nobody. */
export const isExpiry = ({ event, data }: GatewayEvent): boolean =>
  event === 'approval.responded' && data.expired === true;

function toPending(data: Record<string, unknown>): PendingApproval {
  const choices = Array.isArray(data.choices)
    ? data.choices.filter((one): one is string => typeof one === 'string')
    : [];
  return {
    request_id: textOf(data.request_id),
    command: textOf(data.command),
    description: textOf(data.description),
    choices: choices.length > 0 ? choices : ['once', 'deny'],
    allow_permanent: data.allow_permanent === true,
    expires_at: typeof data.expires_at === 'string' ? data.expires_at : null,
  };
}

/** As a text of the database can hold it: what a gateway told must not keep its run from ending. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.replaceAll('\0', '') : '');

export const isCounts = (value: unknown): value is Record<string, number> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
