import { limitedLookups } from './limited-lookups.js';

const settle = () => new Promise((done) => setImmediate(done));

describe('limited look-ups', () => {
  it('run two at a time, in order, and go on after failures', async () => {
    const ends: { name: string; done(): void; fail(error: Error): void }[] = [];
    const look = limitedLookups(
      (name) => new Promise<string>((done, fail) => ends.push({ name, done: () => done(name), fail })),
      2,
      1000,
    );
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => look(name).catch((error: Error) => error.message));
    await settle();
    expect(ends.map(({ name }) => name)).toEqual(['a', 'b']);
    ends[1]!.fail(new Error('no such name'));
    await settle();
    expect(ends.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    for (let at = 0; at < ends.length; at += 1) {
      ends[at]!.done();
      await settle();
    }
    expect(await Promise.all(all)).toEqual(['a', 'no such name', 'c', 'd', 'e']);
    const later = look('f');
    await settle();
    ends.at(-1)!.done();
    expect(await later).toBe('f');
  });

  it('do not wait for ever for their turn', async () => {
    const ends: (() => void)[] = [];
    const look = limitedLookups(() => new Promise<void>((done) => void ends.push(done)), 1, 30);
    const first = look('slow');
    await expect(look('late')).rejects.toThrow('Too many names');
    ends[0]!();
    await first;
    const next = look('next');
    await settle();
    ends[1]!();
    await next;
  });
});
