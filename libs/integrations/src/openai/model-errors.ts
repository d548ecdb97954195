import { BadGatewayError, GatewayTimeoutError } from '@app/common';

/**
 * What a failed call to a model endpoint is to our callers.
 * @param signal the one that the call had, of which the caller's own is a part
 */
export function toModelError(error: unknown, signal: AbortSignal, callerSignal: AbortSignal | undefined): unknown {
  if (callerSignal?.aborted) return callerSignal.reason;
  if (signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError')
    return new GatewayTimeoutError('The model did not answer in time.', { code: 'model_timeout', cause: error });
  // The endpoint's own words may hold the prompt or a key: they go to the log through `cause`, never to the client.
  return new BadGatewayError('The model endpoint failed.', { code: 'model_error', cause: error });
}
