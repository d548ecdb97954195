import type { EndpointFault } from '@app/integrations';

const FIRST_MS = 500;
const LONGEST_MS = 8_000;
/** What an endpoint asks for beyond this is not waited for: somebody waits for the answer. */
const LONGEST_RETRY_AFTER_MS = 20_000;

/**
 * How long to wait before the next try: twice as long each time, with jitter so that many callers do not come back at
 * once, and never before the endpoint wants to be asked again.
 * @param failures so far, from 1
 * @returns milliseconds; null when the endpoint asks for too much
 */
export function retryDelay(fault: EndpointFault, failures: number, random = Math.random): number | null {
  const growing = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  const jittered = growing * (0.5 + random() / 2);
  const { retryAfterMs } = fault;
  if (retryAfterMs === null) return jittered;
  return retryAfterMs > LONGEST_RETRY_AFTER_MS ? null : retryAfterMs + random() * 250;
}
