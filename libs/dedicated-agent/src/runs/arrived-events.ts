import { AutoResetEvent } from '@app/common';
import type { GatewayEvent } from '../gateway/agent-gateway.js';

/** Which may wait to be written; the gateway is read no further until then. */
const MOST_WAITING = 1000;

/**
 * What has come since it was last asked for, together: while one transaction is under way, others come. Ends, or throws,
 * as the source does, after everything that came before.
 */
export async function* arrivedTogether(source: AsyncIterable<GatewayEvent>): AsyncGenerator<GatewayEvent[], void> {
  const reader = new Reader(source);
  try {
    for (;;) {
      const arrived = reader.take();
      if (arrived.length > 0) yield arrived;
      else if (reader.isDone) break;
      else await reader.arrived.wait();
    }
  } finally {
    reader.leave();
  }
  if (reader.failure) throw reader.failure.error;
}

class Reader {
  readonly arrived = new AutoResetEvent();
  isDone = false;
  failure: { error: unknown } | null = null;
  private waiting: GatewayEvent[] = [];
  private isLeft = false;
  private readonly taken = new AutoResetEvent();

  constructor(source: AsyncIterable<GatewayEvent>) {
    void this.read(source);
  }

  take(): GatewayEvent[] {
    const events = this.waiting;
    this.waiting = [];
    this.taken.set();
    return events;
  }

  leave(): void {
    this.isLeft = true;
    this.taken.set();
  }

  private async read(source: AsyncIterable<GatewayEvent>): Promise<void> {
    try {
      for await (const event of source) {
        if (this.isLeft) return;
        this.waiting.push(event);
        this.arrived.set();
        if (this.waiting.length >= MOST_WAITING) await this.taken.wait();
      }
    } catch (error) {
      this.failure = { error };
    } finally {
      this.isDone = true;
      this.arrived.set();
    }
  }
}
