import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line and every job of one request carries. */
export interface RequestContext {
  requestId: string;
  userId?: number;
  /** Address of the client. */
  readonly ip?: string | undefined;
  /** Name and id of the background job at work, when there is one. */
  job?: string;
  /** `traceparent` of the span that is at work (W3C Trace Context); absent where nobody traces. */
  trace?: string | undefined;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and all that it awaits, under the given context. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The header where it is one of the version that we know, else undefined. */
export function toTraceparent(header: unknown): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}

/**
 * What rows of jobs and runs keep of the request that asked for them: its id and, after a space, its traceparent where
 * there is one. Null outside of a request.
 */
export function currentOrigin(): string | null {
  const context = storage.getStore();
  if (!context) return null;
  return context.trace === undefined ? context.requestId : `${context.requestId} ${context.trace}`;
}

/** The reverse of `currentOrigin`. */
export function contextOfOrigin(origin: string): Pick<RequestContext, 'requestId' | 'trace'> {
  const [requestId = '', traceparent] = origin.split(' ', 2);
  const trace = toTraceparent(traceparent);
  return { requestId, ...(trace !== undefined && { trace }) };
}
