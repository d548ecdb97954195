import { CallGate } from './call-gate.js';

const open = new AbortController().signal;

describe('CallGate', () => {
  it('lets in so many, and the next in the order of their coming', async () => {
    const gate = new CallGate(2, null);
    const [first, second] = [await gate.enter(open), await gate.enter(open)];
    const entered: number[] = [];
    const waiting = [3, 4, 5].map((at) => gate.enter(open).then((leave) => (entered.push(at), leave)));
    await Promise.resolve();
    expect([entered, gate.queueLength]).toEqual([[], 3]);
    first();
    first();
    expect(gate.queueLength).toBe(2);
    second();
    const [third, fourth] = await Promise.all(waiting.slice(0, 2));
    expect(entered).toEqual([3, 4]);
    third!();
    fourth!();
    (await waiting[2]!)();
    expect(gate.queueLength).toBe(0);
  });

  it('forgets who gave up waiting, without losing a place', async () => {
    const gate = new CallGate(1, null);
    const leave = await gate.enter(open);
    const stop = new AbortController();
    const gone = gate.enter(stop.signal);
    const next = gate.enter(open);
    stop.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    await expect(gate.enter(stop.signal)).rejects.toThrow('gone');
    leave();
    (await next)();
    (await gate.enter(open))();
    expect(gate.queueLength).toBe(0);
  });

  it('spreads calls over the minute once its allowance is used', async () => {
    let now = 0;
    jest.useFakeTimers();
    const gate = new CallGate(null, 60, () => now);
    for (let call = 0; call < 60; call += 1) (await gate.enter(open))();
    let entered = 0;
    const waiting = [1, 2].map(() => gate.enter(open).then((leave) => ((entered += 1), leave())));
    for (const [until, expected] of [
      [900, 0],
      [1_010, 1],
      [1_900, 1],
      [2_020, 2],
    ] as const) {
      const step = until - now;
      now = until;
      await jest.advanceTimersByTimeAsync(step);
      expect([until, entered]).toEqual([until, expected]);
    }
    await Promise.all(waiting);
    jest.useRealTimers();
  });

  it('is no gate without limits', async () => {
    const gate = new CallGate(null, null);
    const all = await Promise.all(Array.from({ length: 1_000 }, () => gate.enter(open)));
    expect([all.length, gate.queueLength]).toEqual([1_000, 0]);
  });
});
