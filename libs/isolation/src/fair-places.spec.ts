import { FairPlaces } from './fair-places.js';

const never = new AbortController().signal;

describe('FairPlaces', () => {
  it('keeps the last place for somebody else', async () => {
    const places = new FairPlaces(2);
    const entered: string[] = [];
    const enter = (key: string, name: string) => places.enter(key, never).then(() => entered.push(name));
    await enter('a', 'a1');
    void enter('a', 'a2');
    await enter('b', 'b1');
    void enter('c', 'c1');
    expect(entered).toEqual(['a1', 'b1']);
    places.leave('b');
    await Promise.resolve();
    await Promise.resolve();
    // `a2` waits longer, but holds a place already.
    expect(entered).toEqual(['a1', 'b1', 'c1']);
    places.leave('a');
    await Promise.resolve();
    await Promise.resolve();
    expect(entered).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('gives a single place to anybody, in turn', async () => {
    const places = new FairPlaces(1);
    const entered: number[] = [];
    const all = [1, 2, 3].map(async (name) => {
      await places.enter('a', never);
      entered.push(name);
      places.leave('a');
    });
    await Promise.all(all);
    expect(entered).toEqual([1, 2, 3]);
  });

  it('forgets who gave up', async () => {
    const places = new FairPlaces(1);
    await places.enter('a', never);
    const gone = new AbortController();
    const waiting = places.enter('b', gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(places.enter('b', gone.signal)).rejects.toThrow('gone');
    places.leave('a');
    await places.enter('c', never);
  });

  it('never lets in more than there are places', async () => {
    const places = new FairPlaces(3);
    let [inside, most] = [0, 0];
    await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const key = String(at % 4);
        await places.enter(key, never);
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, at % 3));
        inside -= 1;
        places.leave(key);
      }),
    );
    expect(most).toBe(3);
  });
});
