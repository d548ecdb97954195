import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { testServers } from '../support/servers.js';
import { until } from '../support/until.js';
import { Wire } from '../support/wire.js';
import { stopwatch } from '../support/timing.js';

describe('the api while Postgres misbehaves', () => {
  let platform: HostedPlatform;
  let wire: Wire;
  let client: HttpClient;
  beforeAll(async () => {
    wire = await Wire.to(testServers().databaseUrl);
    platform = await hostPlatform([]);
    const overrides = {
      DATABASE_URL: wire.through(platform.database.url),
      DATABASE_CONNECT_TIMEOUT_MS: '5000',
      DATABASE_STATEMENT_TIMEOUT_MS: '1000',
      DATABASE_POOL_SIZE: '4',
    };
    const api = await platform.host('api', overrides);
    client = await HttpClient.signUp(api.baseUrl);
  });
  afterAll(async () => {
    await platform.stop();
    wire.close();
  });

  const list = () => client.send('GET', '/semantic-search/documents/');
  const create = () =>
    client.send('POST', '/microservices/workflow/start/', {
      json: { name: 'W', nodes: [{ id: 'start', kind: 'manual_trigger' }] },
    });

  it('gives a silent connection up, answers 503 and is back on new ones', async () => {
    await Promise.all(Array.from({ length: 8 }, list));
    wire.freeze();
    const took = stopwatch();
    const answers = await Promise.all(Array.from({ length: 12 }, list));
    expect(took()).toBeLessThan(9000);
    for (const answer of answers) expect([200, 503]).toContain(answer.status);
    expect(answers.map(({ status }) => status)).toContain(503);
    const refused = answers.find(({ status }) => status === 503)!;
    expect(await refused.json()).toMatchObject({ code: 'database_unavailable' });
    await until(async () => (await list()).status === 200, 5000);
    expect((await Promise.all(Array.from({ length: 8 }, list))).map(({ status }) => status)).toEqual(
      Array(8).fill(200),
    );
  });

  it('answers 503, never 500, when connections break in the middle of transactions', async () => {
    const statuses = new Set<number>();
    const began = performance.now();
    const goesOn = () => performance.now() - began < (statuses.size < 2 ? 120_000 : 4000);
    const work = Array.from({ length: 12 }, async () => {
      while (goesOn()) statuses.add((await create()).status);
    });
    for (let cuts = 0; goesOn(); cuts += 1) {
      // In every moment of a transaction, and as long apart in the end as a slow machine needs for a whole one.
      await new Promise((done) => setTimeout(done, 5 + ((cuts * 37) % (50 + cuts * 2))));
      wire.cut();
    }
    await Promise.all(work);
    expect([...statuses].toSorted()).toEqual([201, 503]);
  });
});
