import { readPaymentObjectJob } from '@app/contracts';
import { defineWork } from '@app/work';
import type { ProcessorObject } from '../sync/subscription-sync.js';

export interface ClaimedObject extends ProcessorObject {
  processor: string;
  /** What was received until then had happened before the object is read. By the clock of the database, as text. */
  claimedAt: string;
}

/** Before each further try, give or take a fifth; the last one for all that follow. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 3600] as const;

function delaySeconds(attempt: number): number {
  const seconds = BACKOFF_SECONDS[Math.min(attempt, BACKOFF_SECONDS.length) - 1]!;
  return seconds * (0.8 + Math.random() * 0.4);
}

/** Objects of the processor that somebody told of, or that nobody has told of for a day. */
export const paymentObjectWork = defineWork<ClaimedObject>({
  work: 'payment',
  job: readPaymentObjectJob,
  table: 'payment_objects',
  key: { processor: 'text', kind: 'text', id: 'text' },
  columns: `w.processor, w.kind, w.id, clock_timestamp()::text AS "claimedAt"`,
  // A processor that is away is back some time, and what it told of is not forgotten until then.
  retry: { tries: Infinity, delaySeconds },
  ids: ({ processor, kind, id }) => ({ processor, object: `${kind} ${id}` }),
  ownerOf: () => null,
});
