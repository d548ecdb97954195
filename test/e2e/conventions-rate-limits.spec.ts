import { call, postJson, startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';
import { inOneMinute } from '../support/minute.js';
import { inAll } from '../support/long.js';

describe('rate limits without Redis', () => {
  inAll('are counted by each replica, and nothing else fails', () =>
    inOneMinute(async () => {
      const api = await startApi({ RATE_LIMITS: 'true', RATE_LIMIT_PER_IP: '12', REDIS_URL: 'redis://127.0.0.1:1' });
      const statuses = [];
      for (let i = 0; i < 14; i++)
        statuses.push((await postJson(`${api.baseUrl}/users/check/availability/`, { username: 'x' })).status);
      expect(statuses).toEqual([...Array.from({ length: 12 }, () => 200), 429, 429]);
      expect((await call(`${api.baseUrl}/readyz/`)).status).toBe(503);
      await api.stop();
    }),
  );
});

describe('rate limits', () => {
  let api: TestApi;
  let replica: TestApi;
  let client: HttpClient;

  const me = (base = api.baseUrl) => call(`${base}/users/me/`, { headers: { authorization: `Token ${client.token}` } });
  const login = (username: string, base = api.baseUrl) =>
    postJson(`${base}/api/v1/token/login/`, { username, password: 'not the one' });

  beforeAll(async () => {
    api = await startApi({ RATE_LIMITS: 'true', RATE_LIMIT_PER_USER: '6', RATE_LIMIT_PER_IP: '60' });
    replica = await api.startReplica();
    client = await HttpClient.signUp(api.baseUrl);
  });
  afterAll(async () => {
    await replica.stop();
    await api.stop();
  });

  it('limits a user over all replicas, and says when to come back', () =>
    inOneMinute(async () => {
      const answers = [];
      for (let i = 0; i < 6; i++) answers.push(await me(i % 2 === 0 ? api.baseUrl : replica.baseUrl));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect(answers[0]!.headers.get('ratelimit')).toMatch(/^"user";r=5;t=\d+$/);
      expect(answers[0]!.headers.get('ratelimit-policy')).toBe('"user";q=6;w=60');
      const refused = await me();
      expect(refused).toMatchObject({
        status: 429,
        body: { code: 'throttled', detail: expect.stringContaining('throttled') },
      });
      const seconds = Number(refused.headers.get('retry-after'));
      expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60).toBe(true);
    }));

  it('counts a large body as many calls: it keeps everybody waiting for as long', () =>
    inOneMinute(async () => {
      const owner = await HttpClient.signUp(api.baseUrl);
      const validate = (size: number) =>
        owner.send('POST', '/microservices/workflow/validate/', { json: { nodes: [], name: 'a'.repeat(size) } });
      const small = await validate(200_000);
      expect([small.status, small.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/r=5;/)]);
      const large = await validate(600_000);
      expect([large.status, large.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/r=2;/)]);
      expect((await validate(600_000)).status).toBe(429);
    }));

  it('limits sign-in per account, however the name is written, and not the next account', () =>
    inOneMinute(async () => {
      for (let i = 0; i < 10; i++)
        expect((await login(i % 2 ? 'Victim ' : 'victim', i % 3 ? api.baseUrl : replica.baseUrl)).status).toBe(400);
      expect((await login('VICTIM')).status).toBe(429);
      expect((await login('somebody else')).status).toBe(400);
    }));

  it('counts tries by name and by address together', () =>
    inOneMinute(async () => {
      const { username } = await HttpClient.signUp(api.baseUrl);
      const statuses = [];
      for (let i = 0; i < 10; i++) statuses.push((await login(i % 2 ? username : `${username}@test.example`)).status);
      // It signed in once itself.
      expect(statuses).toEqual([...Array.from({ length: 9 }, () => 400), 429]);
    }));

  it('limits an address, counting tokens that are guessed, before it reads bodies', () =>
    inOneMinute(async () => {
      let answer = await me();
      for (let i = 0; i < 65 && answer.status !== 429; i++)
        answer = await call(`${api.baseUrl}/users/models/`, { headers: { authorization: `Token guess${i}` } });
      const guesses = [];
      for (let i = 0; i < 65; i++)
        guesses.push(
          (await call(`${api.baseUrl}/users/models/`, { headers: { authorization: `Token guess${i}` } })).status,
        );
      expect(guesses[0]).not.toBe(200);
      expect(guesses.at(-1)).toBe(429);
      const broken = await call(`${api.baseUrl}/api/v1/users/`, {
        method: 'POST',
        body: '{',
        headers: { 'content-type': 'application/json' },
      });
      expect(broken.status).toBe(429);
      expect((await call(`${api.baseUrl}/healthz/`)).status).toBe(200);
    }));
});
