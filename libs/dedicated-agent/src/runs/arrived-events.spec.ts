import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayEvent } from '../gateway/agent-gateway.js';
import { arrivedTogether } from './arrived-events.js';

async function readAheadOf(length: number): Promise<{ ahead: number; all: number }> {
  let read = 0;
  async function* source(): AsyncGenerator<GatewayEvent, void> {
    for (; read < 3000; read += 1)
      yield { cursor: null, event: 'message.delta', data: { delta: 'x'.repeat(length) }, at: new Date() };
  }
  let [all, ahead] = [0, 0];
  for await (const events of arrivedTogether(source())) {
    all += events.length;
    // Whoever writes takes their time.
    if (all < 100) await sleep(50);
    ahead = Math.max(ahead, read - all);
  }
  return { ahead, all };
}

describe('events that wait to be written', () => {
  it('are so many, and so long, at most: a gateway is read no further until they are written', async () => {
    const [many, long] = [await readAheadOf(1), await readAheadOf(1_000_000)];
    expect([many.all, long.all]).toEqual([3000, 3000]);
    expect(many.ahead).toBeLessThanOrEqual(1002);
    expect(long.ahead).toBeLessThanOrEqual(6);
  });
});
