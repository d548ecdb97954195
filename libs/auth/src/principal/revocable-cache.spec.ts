import { RevocableCache } from './revocable-cache.js';

const answer = { is: 'true' };
const cache = () => new RevocableCache<{ is: string }>({ max: 10, ttlMs: 5000 });

describe('RevocableCache', () => {
  it('remembers an answer, unless something was revoked while it was looked for', async () => {
    const remembering = cache();
    await remembering.load('key', async () => answer);
    expect(remembering.peek('key')).toBe(answer);
    await remembering.load('late', async () => {
      remembering.revoke(() => false);
      return answer;
    });
    expect(remembering.peek('late')).toBeUndefined();
  });

  it('counts the age of an answer from the question', async () => {
    const remembering = cache();
    const began = jest.spyOn(performance, 'now').mockReturnValueOnce(performance.now() - 6000);
    await remembering.load('key', async () => answer);
    began.mockRestore();
    expect(remembering.peek('key')).toBeUndefined();
  });

  it('forgets what was asked for longest ago when it is full', async () => {
    const remembering = cache();
    for (let key = 0; key < 12; key += 1) await remembering.load(String(key), async () => answer);
    const held = Array.from({ length: 12 }, (_, key) => remembering.peek(String(key)) !== undefined);
    expect(held).toEqual([false, false, ...Array.from({ length: 10 }, () => true)]);
  });
});
