import { AutoResetEvent } from '@app/common';
import type { GatewayEvent } from '../gateway/agent-gateway.js';

/** Which may wait to be written, and characters of theirs; the gateway is read no further until then. */
const MOST_WAITING = 1000;
const MOST_CHARACTERS = 4_000_000;

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
  private characters = 0;
  private isLeft = false;
  private readonly taken = new AutoResetEvent();

  constructor(source: AsyncIterable<GatewayEvent>) {
    void this.read(source);
  }

  take(): GatewayEvent[] {
    const events = this.waiting;
    this.waiting = [];
    this.characters = 0;
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
        this.characters += sizeOf(event);
        this.arrived.set();
        if (this.waiting.length >= MOST_WAITING || this.characters >= MOST_CHARACTERS) await this.taken.wait();
      }
    } catch (error) {
      this.failure = { error };
    } finally {
      this.isDone = true;
      this.arrived.set();
    }
  }
}

/** Near enough: what is long are the texts. */
function sizeOf({ data }: GatewayEvent): number {
  return Object.values(data).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 100), 0);
}
