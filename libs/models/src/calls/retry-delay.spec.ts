import { EndpointFault } from '@app/integrations';
import { retryDelay } from './retry-delay.js';

const fault = (retryAfterMs: number | null) => new EndpointFault('busy', { isPassing: true, retryAfterMs });

it('waits longer each time, with jitter, up to 8 s', () => {
  expect([1, 2, 3, 9].map((failures) => retryDelay(fault(null), failures, () => 1))).toEqual([500, 1000, 2000, 8000]);
  expect([1, 2, 3, 9].map((failures) => retryDelay(fault(null), failures, () => 0))).toEqual([250, 500, 1000, 4000]);
});

it('never comes back before it may, and gives up on what takes too long', () => {
  expect(retryDelay(fault(3_000), 1, () => 0)).toBe(3_000);
  expect(retryDelay(fault(3_000), 1, () => 1)).toBe(3_250);
  expect(retryDelay(fault(0), 4, () => 0)).toBe(0);
  expect(retryDelay(fault(20_001), 1)).toBeNull();
});
