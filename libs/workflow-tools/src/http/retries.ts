import { EgressError } from '@app/integrations';
import type { HttpResponse, ToolContext, ToolResult } from '@app/workflow-definition';
import { toToolError } from './http-failure.js';
import { headerOf } from './response-body.js';

export interface RetryPolicy {
  /** Whether the request may be sent again at all. */
  isRepeatable: boolean;
  maxRetries: number;
  /** Before the first further try; doubled for each one after that. */
  firstPauseMs: number;
  maxPauseMs: number;
  /** Tries that failed before this call of the tool. */
  triesBefore: number;
  /** Whether nothing is lost when the node leaves its worker for a longer pause. */
  mayWait: boolean;
}

type Wait = Extract<ToolResult, { wait: unknown }>;

/** Longer pauses survive the worker, so that a busy host keeps nobody from working. */
const SHORT_PAUSE_MS = 1_000;
/** How long a node that has to stay with its worker is ready to wait. */
const LONGEST_STAY_MS = 20_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * Sends until an answer is worth keeping: 429, 408 and 5xx and failed connections are tried again after a pause that
 * grows, or after `Retry-After`.
 * @returns the answer, of whatever status, or the wait after which the tool runs again with `data.tries`
 * @throws ToolError when no answer came
 */
export async function sendWithRetries(
  send: () => Promise<HttpResponse>,
  policy: RetryPolicy,
  context: Pick<ToolContext, 'now' | 'sleep' | 'signal'>,
): Promise<{ response: HttpResponse } | Wait> {
  for (let tries = policy.triesBefore; ; tries += 1) {
    const { response, error } = await attempt(send);
    const pause = policy.isRepeatable && tries < policy.maxRetries ? pauseAfter(response, error, tries, policy) : null;
    const isTooLong = pause !== null && !policy.mayWait && pause > LONGEST_STAY_MS;
    if (pause === null || isTooLong) {
      if (response) return { response };
      throw toToolError(error);
    }
    response?.body.destroy();
    if (policy.mayWait && pause > SHORT_PAUSE_MS)
      return { wait: { reason: 'timer', until: context.now() + pause, data: { tries: tries + 1 } } };
    await context.sleep(pause);
  }
}

async function attempt(send: () => Promise<HttpResponse>): Promise<{ response?: HttpResponse; error?: EgressError }> {
  try {
    return { response: await send() };
  } catch (error) {
    if (error instanceof EgressError) return { error };
    throw error;
  }
}

/** Milliseconds; null when another try is of no use. */
function pauseAfter(
  response: HttpResponse | undefined,
  error: EgressError | undefined,
  tries: number,
  { firstPauseMs, maxPauseMs }: RetryPolicy,
): number | null {
  const isWorthIt = response
    ? [408, 425, 429].includes(response.status) || (response.status >= 500 && ![501, 505].includes(response.status))
    : error?.failure === 'unreachable' || error?.failure === 'timeout';
  if (!isWorthIt) return null;
  const grown = Math.min(firstPauseMs * 2 ** tries, maxPauseMs);
  const asked = response ? retryAfterMs(headerOf(response, 'retry-after')) : 0;
  if (asked > LONGEST_RETRY_AFTER_MS) return null;
  // Many runs that were turned away together do not come back together.
  return asked > 0 ? asked * (1 + Math.random() * 0.1) : grown * (0.5 + Math.random() * 0.5);
}

/** Of a number of seconds or an HTTP date; 0 when there is neither. */
function retryAfterMs(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = value === '' ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}
