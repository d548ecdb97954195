import { SessionPlaces } from './session-places.js';

const never = new AbortController().signal;

describe('places for sessions', () => {
  it('go round in the order of asking, and nobody has more than their share', async () => {
    const places = new SessionPlaces(3, 2);
    const began: string[] = [];
    const take = async (owner: number, name: string) => {
      const release = await places.take(owner, never);
      began.push(name);
      return release;
    };
    const first = await take(1, 'a');
    const second = await take(1, 'b');
    const third = take(1, 'c');
    const other = await take(2, 'x');
    const last = take(3, 'y');
    await Promise.resolve();
    expect(began).toEqual(['a', 'b', 'x']);
    first();
    first();
    await third;
    expect(began).toEqual(['a', 'b', 'x', 'c']);
    second();
    await last;
    expect(began).toEqual(['a', 'b', 'x', 'c', 'y']);
    other();
  });

  it('are not kept by those who leave', async () => {
    const places = new SessionPlaces(1, 1);
    const release = await places.take(1, never);
    const leaving = new AbortController();
    const waiting = places.take(2, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    release();
    (await places.take(2, never))();
    await expect(places.take(2, leaving.signal)).rejects.toThrow('left');
  });

  it('are not waited for by too many of one person', async () => {
    const places = new SessionPlaces(1, 1, 2);
    await places.take(1, never);
    void places.take(1, never);
    void places.take(1, never);
    await expect(places.take(1, never)).rejects.toMatchObject({ code: 'source_busy' });
    void places.take(2, never);
  });
});
