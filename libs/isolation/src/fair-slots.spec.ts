import { FairSlots } from './fair-slots.js';

const never = new AbortController().signal;

describe('FairSlots', () => {
  it('keeps the last slot for somebody else', async () => {
    const slots = new FairSlots(2);
    const entered: string[] = [];
    const enter = (key: string, name: string) => slots.enter(key, never).then(() => entered.push(name));
    await enter('a', 'a1');
    void enter('a', 'a2');
    await enter('b', 'b1');
    void enter('c', 'c1');
    expect(entered).toEqual(['a1', 'b1']);
    slots.leave('b');
    await Promise.resolve();
    await Promise.resolve();
    // `a2` waits longer, but holds a slot already.
    expect(entered).toEqual(['a1', 'b1', 'c1']);
    slots.leave('a');
    await Promise.resolve();
    await Promise.resolve();
    expect(entered).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('gives a single slot to anybody, in turn', async () => {
    const slots = new FairSlots(1);
    const entered: number[] = [];
    const all = [1, 2, 3].map(async (name) => {
      await slots.enter('a', never);
      entered.push(name);
      slots.leave('a');
    });
    await Promise.all(all);
    expect(entered).toEqual([1, 2, 3]);
  });

  it('forgets who gave up', async () => {
    const slots = new FairSlots(1);
    await slots.enter('a', never);
    const gone = new AbortController();
    const waiting = slots.enter('b', gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(slots.enter('b', gone.signal)).rejects.toThrow('gone');
    slots.leave('a');
    await slots.enter('c', never);
  });

  it('never lets in more than there are slots', async () => {
    const slots = new FairSlots(3);
    let [inside, most] = [0, 0];
    await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const key = String(at % 4);
        await slots.enter(key, never);
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, at % 3));
        inside -= 1;
        slots.leave(key);
      }),
    );
    expect(most).toBe(3);
  });
});
