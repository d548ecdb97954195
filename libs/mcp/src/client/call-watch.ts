import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * One request to a server, as the layer below the SDK sees it. The SDK tells neither which HTTP exchange serves which
 * request nor that an exchange ended without an answer, after which it would wait until the time-out.
 */
export interface WatchedCall {
  /** Whether the exchange of the request itself has begun; those after it are notifications and resumptions. */
  isSent: boolean;
  /** Aborted some time after the request is over. */
  readonly ended: AbortSignal;
  /** Ends the request with this error. Without effect once it is over. */
  fail(error: unknown): void;
}

export const watchedCalls = new AsyncLocalStorage<WatchedCall>();
