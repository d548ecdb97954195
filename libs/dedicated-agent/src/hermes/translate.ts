import { cutText, isDictionary } from '@app/common';
import type { GatewayRun, GatewayRunStatus } from '../gateway/agent-gateway.js';

const MAX_OUTPUT = 1_000_000;
const MAX_TEXT = 20_000;
/** For which the gateway waits unless it says otherwise. */
const APPROVAL_SECONDS = 300;
const COUNTS = ['input_tokens', 'output_tokens', 'total_tokens'] as const;

const STATUSES: Readonly<Record<string, GatewayRunStatus>> = {
  started: 'queued',
  queued: 'queued',
  running: 'running',
  waiting_for_approval: 'waiting_for_approval',
  stopping: 'stopping',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'failed',
};

type Data = Record<string, unknown>;
export interface Told {
  event: string;
  data: Data;
  at: Date;
}

const text = (value: unknown, most = MAX_TEXT): string => (typeof value === 'string' ? cutText(value, most) : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').slice(0, 20) : [];

/** Events of hermes in the words of the specification; what it does not name is left out. */
const TRANSLATIONS: Readonly<Record<string, (frame: Data, at: Date) => Omit<Told, 'at'> | null>> = {
  'message.delta': ({ delta }) =>
    text(delta) === '' ? null : { event: 'message.delta', data: { delta: text(delta, MAX_OUTPUT) } },
  'message.interim': ({ text: said, already_streamed: isTold }) =>
    isTold === true || text(said) === '' ? null : { event: 'message.delta', data: { delta: text(said, MAX_OUTPUT) } },
  'reasoning.available': (frame) => ({ event: 'reasoning.available', data: { text: text(frame.text) } }),
  'reasoning.delta': ({ delta, text: said }) => ({ event: 'reasoning.delta', data: { delta: text(delta ?? said) } }),
  'tool.started': ({ tool, preview }) => ({
    event: 'tool.started',
    data: { tool: text(tool, 200), preview: text(preview) },
  }),
  'tool.completed': ({ tool, duration, error }) => ({
    event: 'tool.completed',
    data: {
      tool: text(tool, 200),
      duration: typeof duration === 'number' ? duration : 0,
      error: typeof error === 'string' ? text(error) : error === true,
    },
  }),
  'subagent.start': (frame) => ({ event: 'subagent.start', data: plain(frame) }),
  'subagent.complete': (frame) => ({ event: 'subagent.complete', data: plain(frame) }),
  'approval.request': (frame, at) => ({ event: 'approval.request', data: toQuestion(frame, at) }),
  'approval.responded': ({ request_id: id, choice, resolved }) => ({
    event: 'approval.responded',
    data: { request_id: text(id, 256), choice: text(choice, 20), resolved: Number(resolved) || 1 },
  }),
  'run.steered': ({ message, input, text: said }) => ({
    event: 'run.steered',
    data: { message: text(message ?? input ?? said) },
  }),
  'run.completed': ({ output, usage }) => ({
    event: 'run.completed',
    data: { output: text(output, MAX_OUTPUT), usage: toUsage(usage) },
  }),
  'run.failed': (frame) => ({ event: 'run.failed', data: toFailed(frame) }),
  'run.interrupted': (frame) => ({ event: 'run.failed', data: toFailed(frame) }),
  'run.cancelled': ({ usage }) => ({ event: 'run.cancelled', data: usageIn(usage) }),
};

/** @returns null for what is not told, or is about another run */
export function translate(frame: Data, gatewayRunId: string): Told | null {
  const { event, run_id: runId, timestamp } = frame;
  if (typeof runId === 'string' && runId !== gatewayRunId) return null;
  if (typeof event !== 'string' || !Object.hasOwn(TRANSLATIONS, event)) return null;
  const at = toDate(timestamp);
  const told = TRANSLATIONS[event]!(frame, at);
  return told && { ...told, at };
}

/** @returns null where its state is none that we know */
export function toRun(record: Data): GatewayRun | null {
  const { status, output, usage, error } = record;
  if (typeof status !== 'string' || !Object.hasOwn(STATUSES, status)) return null;
  return {
    status: STATUSES[status]!,
    output: typeof output === 'string' ? text(output, MAX_OUTPUT) : null,
    usage: toUsage(usage),
    error: STATUSES[status] === 'failed' ? toFailed({ error }).error : null,
  };
}

export function toDate(seconds: unknown): Date {
  const isTime = typeof seconds === 'number' && seconds > 0 && seconds < 1e11;
  return isTime ? new Date(seconds * 1000) : new Date();
}

const usageIn = (usage: unknown): Data => {
  const counts = toUsage(usage);
  return counts ? { usage: counts } : {};
};

function toFailed({ error, output, usage }: Data): { error: string; output?: string } {
  const said = isDictionary(error) ? error.message : error;
  return {
    error: text(said) || 'The agent failed.',
    ...(typeof output === 'string' && output !== '' && { output: text(output, MAX_OUTPUT) }),
    ...usageIn(usage),
  };
}

export function toUsage(usage: unknown): Record<string, number> | null {
  if (!isDictionary(usage)) return null;
  const counts = COUNTS.map((name) => [name, usage[name]] as const);
  if (!counts.every(([, count]) => Number.isSafeInteger(count) && (count as number) >= 0)) return null;
  return Object.fromEntries(counts) as Record<string, number>;
}

export function toQuestion(frame: Data, at: Date): Data {
  const isSmartDenied = frame.smart_denied === true;
  const isForSession = frame.allow_session !== false && !isSmartDenied;
  const isForever = frame.allow_permanent !== false && isForSession;
  const allowed = ['once', ...(isForSession ? ['session'] : []), ...(isForever ? ['always'] : []), 'deny'];
  const named = texts(frame.choices).filter((choice) => allowed.includes(choice));
  const keys = texts(frame.pattern_keys);
  const key = text(frame.pattern_key, 500);
  return {
    request_id: text(frame.request_id, 256),
    command: text(frame.command),
    description: text(frame.description),
    pattern_key: key,
    pattern_keys: keys.length === 0 && key !== '' ? [key] : keys,
    choices: named.length > 0 ? named : allowed,
    allow_permanent: isForever,
    expires_at: new Date(at.getTime() + APPROVAL_SECONDS * 1000).toISOString(),
  };
}

/** What can be shown of a frame whose members nobody has fixed. */
function plain(frame: Data): Data {
  const shown = Object.entries(frame).filter(
    ([name, value]) =>
      !['event', 'run_id', 'timestamp'].includes(name) && ['string', 'number', 'boolean'].includes(typeof value),
  );
  return Object.fromEntries(
    shown
      .slice(0, 40)
      .map(([name, value]) => [name.slice(0, 100), typeof value === 'string' ? text(value, 2000) : value]),
  );
}
