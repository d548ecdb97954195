import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line and every job of one request carries. */
export interface RequestContext {
  requestId: string;
  userId?: number;
  /** Address of the client. */
  readonly ip?: string | undefined;
  /** Name and id of the background job at work, when there is one. */
  job?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and all that it awaits, under the given context. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}
