import { AutoResetEvent } from '@app/common';
import type { GatewayEvent } from '../gateway/agent-gateway.js';

/** Which may wait to be written; the gateway is read no further until then. */
const MOST_WAITING = 1000;

/**
 * What has come since it was last asked for, together: while one transaction is under way, others come. Ends, or throws,
 * as the source does, after everything that came before.
 */
export async function* arrivedTogether(source: AsyncIterable<GatewayEvent>): AsyncGenerator<GatewayEvent[], void> {
  let waiting: GatewayEvent[] = [];
  let isDone = false;
  let failure: { error: unknown } | null = null;
  const arrived = new AutoResetEvent();
  const taken = new AutoResetEvent();
  const iterator = source[Symbol.asyncIterator]();
  const read = async (): Promise<void> => {
    try {
      for (;;) {
        const next = await iterator.next();
        if (next.done) return;
        waiting.push(next.value);
        arrived.set();
        while (waiting.length >= MOST_WAITING && !isDone) await taken.wait();
      }
    } catch (error) {
      failure = { error };
    } finally {
      isDone = true;
      arrived.set();
    }
  };
  const reading = read();
  try {
    for (;;) {
      if (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        taken.set();
        yield batch;
        continue;
      }
      if (isDone) break;
      await arrived.wait();
    }
  } finally {
    isDone = true;
    taken.set();
    void reading;
  }
  if (failure !== null) throw (failure as { error: unknown }).error;
}
