import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BatchRules, MicroBatcher } from './micro-batcher.js';

const RULES: BatchRules<number> = {
  most: 4,
  atOnce: 2,
  overflow: 3,
  crowdedPerSecond: Infinity,
  gatherMs: 5,
  enough: () => 4,
};

/** Batches that are over when the test says so. */
class Carried {
  readonly batches: (readonly number[])[] = [];
  private readonly ends: (() => void)[] = [];
  readonly batcher: MicroBatcher<number>;

  constructor(rules: Partial<BatchRules<number>> = {}) {
    this.batcher = new MicroBatcher((batch) => this.carry(batch), { ...RULES, ...rules });
  }

  async push(...items: number[]): Promise<void> {
    for (const item of items) this.batcher.push(item);
    await this.settle();
  }

  async end(): Promise<void> {
    this.ends.shift()!();
    await this.settle();
  }

  private async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  }

  private carry(batch: readonly number[]): Promise<void> {
    this.batches.push(batch);
    return new Promise((end) => this.ends.push(end));
  }
}

describe('MicroBatcher', () => {
  it('carries at once what comes in one turn, and afterwards what came meanwhile', async () => {
    const carried = new Carried();
    await carried.push(1, 2);
    expect(carried.batches).toEqual([[1, 2]]);
    await carried.push(3);
    await carried.push(4);
    expect(carried.batches).toEqual([[1, 2]]);
    await carried.end();
    expect(carried.batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('begins another batch beside one under way where many wait, up to so many, each with so many', async () => {
    const carried = new Carried();
    await carried.push(1);
    await carried.push(2, 3, 4, 5, 6, 7, 8);
    expect(carried.batches).toEqual([[1], [2, 3, 4, 5]]);
    await carried.end();
    expect(carried.batches).toEqual([[1], [2, 3, 4, 5], [6, 7, 8]]);
  });

  it('leaves waiting what may not go yet, in its order, and gives back what is taken out', async () => {
    let isHeld = true;
    const carried = new Carried({ pick: (waiting) => waiting.filter((item) => !isHeld || item % 2 === 0) });
    await carried.push(1, 2, 3, 4, 5);
    expect(carried.batches).toEqual([[2, 4]]);
    expect(carried.batcher.takeOut((item) => item === 3)).toEqual([3]);
    isHeld = false;
    await carried.end();
    expect(carried.batches).toEqual([
      [2, 4],
      [1, 5],
    ]);
  });

  it('waits for more only where many come, unless enough wait', async () => {
    const carried = new Carried({ crowdedPerSecond: 1, gatherMs: 1e6, atOnce: 9, overflow: 1 });
    await carried.push(1);
    // The rate of a window is known when it is over.
    await new Promise((over) => setTimeout(over, 120));
    await carried.push(2);
    await carried.push(3, 4);
    expect(carried.batches).toEqual([[1]]);
    await carried.push(5);
    expect(carried.batches).toEqual([[1], [2, 3, 4, 5]]);
  });

  it('does not wait for others where all who were there lately wait already', async () => {
    const carried = new Carried({ crowdedPerSecond: 1, gatherMs: 1e6, atOnce: 1, overflow: 9, enough: () => 9 });
    await carried.push(1);
    await carried.push(2);
    await new Promise((over) => setTimeout(over, 120));
    await carried.push(3);
    await carried.end();
    // Three were there at once: one was answered, two wait.
    expect(carried.batches).toEqual([[1]]);
    await carried.push(4);
    expect(carried.batches).toEqual([[1], [2, 3, 4]]);
  });

  it('lets the first of a burst wait for the others, where it is told to', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const carried = new Carried({ crowdedPerSecond: 1, gatherMs: 140, inBursts: true, enough: () => 9 });
    await carried.push(1, 2);
    await carried.end();
    clock.mockReturnValue(1_150);
    await carried.push(3);
    expect(carried.batches).toEqual([[1, 2]]);
    await carried.push(4);
    expect(carried.batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    clock.mockRestore();
  });
});
