import { LoopTurns } from './loop-turns.js';

describe('LoopTurns', () => {
  it('lets owners take turns, whatever one of them has begun', async () => {
    const turns = new LoopTurns();
    const done: string[] = [];
    const piece = (owner: number, name: string) => turns.next(owner).then(() => done.push(name));
    await Promise.all([piece(1, 'a1'), piece(1, 'a2'), piece(1, 'a3'), piece(2, 'b1'), piece(3, 'c1'), piece(2, 'b2')]);
    expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('lets the process hear of other things between two pieces', async () => {
    const turns = new LoopTurns();
    let heard = 0;
    const listen = (): void => {
      heard += 1;
      if (heard < 100) setImmediate(listen);
    };
    setImmediate(listen);
    const heardBefore: number[] = [];
    await Promise.all(Array.from({ length: 5 }, () => turns.next(1).then(() => heardBefore.push(heard))));
    for (const [index, count] of heardBefore.entries())
      if (index > 0) expect(count).toBeGreaterThan(heardBefore[index - 1]!);
  });

  it('begins again after it had nothing to do', async () => {
    const turns = new LoopTurns();
    await turns.next(1);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await expect(turns.next(2)).resolves.toBeUndefined();
  });
});
