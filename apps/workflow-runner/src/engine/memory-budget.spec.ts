import { MemoryShare, MemoryBudget, SMALL_BYTES } from './memory-budget.js';

const LARGE = SMALL_BYTES + 1;
const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let isSettled = false;
  promise.finally(() => (isSettled = true)).catch(() => undefined);
  await new Promise(setImmediate);
  return isSettled;
};

describe('MemoryBudget', () => {
  const never = new AbortController().signal;
  const places = (budget: MemoryBudget, owner: number, count: number, signal = never) =>
    Array.from({ length: count }, () => new MemoryShare(budget, owner, signal));

  it('is for two of an owner and six in all; what is small asks nobody', async () => {
    const budget = new MemoryBudget();
    const [a, b, c] = places(budget, 1, 3) as [MemoryShare, MemoryShare, MemoryShare];
    expect(await settled(a.take(LARGE))).toBe(true);
    expect(await settled(b.take(LARGE))).toBe(true);
    const third = c.take(LARGE);
    expect(await settled(third)).toBe(false);
    expect(await settled(new MemoryShare(budget, 1, never).take(SMALL_BYTES))).toBe(true);

    const others = [2, 3, 4].flatMap((owner) => places(budget, owner, 2));
    const taken = others.map((memory) => memory.take(LARGE));
    expect(await Promise.all(taken.map(settled))).toEqual([true, true, true, true, false, false]);

    // Of those who wait, the owner who has nothing in it comes before the one who asked first.
    a.leave();
    expect(await settled(third)).toBe(true);
    others[0]!.leave();
    expect(await settled(taken[4]!)).toBe(true);
  });

  it('is asked once by a node, however often it holds much', async () => {
    const budget = new MemoryBudget();
    const [a, b] = places(budget, 1, 2) as [MemoryShare, MemoryShare];
    await a.take(LARGE);
    await a.take(LARGE);
    expect(await settled(b.take(LARGE))).toBe(true);
  });

  it('is left by a node that was stopped while it waited, and given to the next', async () => {
    const budget = new MemoryBudget();
    const [a, b, c] = places(budget, 1, 3) as [MemoryShare, MemoryShare, MemoryShare];
    await a.take(LARGE);
    await b.take(LARGE);
    const stop = new AbortController();
    const stopped = new MemoryShare(budget, 1, stop.signal).take(LARGE);
    const next = c.take(LARGE);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    await expect(new MemoryShare(budget, 1, stop.signal).take(LARGE)).rejects.toMatchObject({ code: 'aborted' });
    expect(await settled(next)).toBe(false);
    b.leave();
    expect(await settled(next)).toBe(true);
  });

  it('is left once by a node that ended before it was let in', async () => {
    const budget = new MemoryBudget();
    const [a, b, c, d] = places(budget, 1, 4) as [MemoryShare, MemoryShare, MemoryShare, MemoryShare];
    await a.take(LARGE);
    await b.take(LARGE);
    void c.take(LARGE);
    c.leave();
    c.leave();
    a.leave();
    expect(await settled(d.take(LARGE))).toBe(true);
  });
});
