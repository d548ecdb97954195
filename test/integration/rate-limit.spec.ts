import { randomBytes } from 'node:crypto';
import { RateLimitStorage } from '../../apps/api/src/http/rate-limit.storage.js';
import { testServers } from '../support/servers.js';
import { grant } from '../support/timing.js';
import { inOneMinute } from '../support/minute.js';
import { until } from '../support/until.js';
import { Wire } from '../support/wire.js';

describe('RateLimitStorage', () => {
  const stores: RateLimitStorage[] = [];
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const replica = async (url = testServers().redisUrl) => {
    const store = new RateLimitStorage({ url, keyPrefix: prefix });
    stores.push(store);
    await grant(50);
    return store;
  };
  afterAll(() => stores.forEach((store) => store.onApplicationShutdown()));

  it('lets exactly the limit through, over replicas, in one burst', () =>
    inOneMinute(async () => {
      const [a, b, c] = [await replica(), await replica(), await replica()];
      const hits = await Promise.all(Array.from({ length: 600 }, (_, i) => [a, b, c][i % 3]!.count('burst', 300)));
      expect(hits.filter((hit) => !hit.isBlocked)).toHaveLength(300);
    }));

  it('tells the other replicas of calls that did not wait', () =>
    inOneMinute(async () => {
      const [a, b] = [await replica(), await replica()];
      await a.count('slow', 100);
      for (let i = 1; i < 10; i++) expect(a.count('slow', 100)).not.toBeInstanceOf(Promise);
      await grant(100);
      const hits = await Promise.all(Array.from({ length: 30 }, () => b.count('slow', 100)));
      expect(hits.at(-1)!.totalHits).toBe(40);
    }));

  it('counts alone while Redis is away', () =>
    inOneMinute(async () => {
      const store = await replica('redis://127.0.0.1:1');
      const hits = [];
      for (let i = 0; i < 8; i++) hits.push(await store.count('alone', 5));
      expect(hits.map((hit) => hit.isBlocked)).toEqual([false, false, false, false, false, true, true, true]);
    }));

  it('counts what came while Redis was away', () =>
    inOneMinute(async () => {
      const wire = await Wire.to(testServers().redisUrl);
      try {
        const key = `back-${randomBytes(4).toString('hex')}`;
        const store = await replica(wire.through(testServers().redisUrl));
        const other = await replica();
        let calls = 0;
        const count = async (by = store) => {
          calls += 1;
          return (await by.count(key, 1000, 1)).totalHits;
        };
        // From a quarter of the limit on, each call waits for its number.
        await store.count(key, 1000, (calls = 300));
        wire.cut();
        expect([await count(), await count(), await count()]).toEqual([301, 302, 303]);
        // Redis is left alone for a second, and then told.
        await until(async () => (await count()) === calls && (await count(other)) === calls);
        expect(await count()).toBe(calls);
      } finally {
        wire.close();
      }
    }));
});
