import { HttpClient } from '../support/http-client.js';
import { type Platform, startPlatform } from '../support/platform.js';
import { Directory } from '../support/scim.js';
import { freePort } from '../support/round-robin.js';
import { testServers } from '../support/servers.js';
import { switchedPort } from '../support/switched-port.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

const APPS = ['api', 'indexer', 'workflow-runner'] as const;

const statusOf = async (url: string) => {
  const response = await fetch(url);
  const body = (await response.json()) as { status: string; checks?: Record<string, { status: string }> };
  return [response.status, body.status, body.checks?.queue?.status, body.checks?.database?.status];
};

describe('a start while Redis is away', () => {
  let platform: Platform;
  let redis: Awaited<ReturnType<typeof switchedPort>>;

  beforeAll(async () => {
    redis = await switchedPort(new URL(testServers().redisUrl));
    await redis.away();
    platform = await startPlatform([], { REDIS_URL: redis.url });
  });
  afterAll(async () => {
    await platform.stop();
    await redis.stop();
  });

  it('succeeds: the apps live, say what they lack, and work as soon as Redis is there', async () => {
    const health = await Promise.all(
      APPS.map(async (name) => {
        const port = String(await freePort());
        const app = await platform.start(name, { HEALTH_PORT: port });
        return { app, base: `http://127.0.0.1:${port}` };
      }),
    );
    const api = `http://127.0.0.1:${String(health[0]!.app.ready.port)}`;
    for (const base of [api, ...health.map((one) => one.base)]) {
      expect([base, await statusOf(`${base}/healthz/`)]).toEqual([base, [200, 'ok', undefined, undefined]]);
      expect([base, await statusOf(`${base}/readyz/`)]).toEqual([base, [503, 'unavailable', 'unavailable', 'ok']]);
    }
    // What needs no queue is answered, and what only needs a job is written down.
    const owner = await HttpClient.signUp(api);
    const me = async () => (await owner.get<{ info: { id: number; roles: string[] } }>('/users/me/')).info;
    const { id: ownerId, roles } = await me();
    const directory = await Directory.open({ baseUrl: api, database: platform.database });
    const joined = 'UPDATE users SET organization_id = $2 WHERE id = $1';
    await platform.database.dataSource.query(joined, [ownerId, directory.organizationId]);
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
    const pilots = { schemas, displayName: 'Pilots', members: [{ value: String(ownerId) }] };
    expect((await directory.call('POST', '/Groups', pilots)).status).toBe(201);
    // Whoever was changed here is seen so here, though no other replica hears of it.
    expect((await me()).roles).toEqual([...roles, 'Pilots']);
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: fanOutAndJoin,
    });
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id, webhook_payload: { n: 1 } });

    await redis.back();
    for (const base of [api, ...health.map((one) => one.base)])
      await until(async () => (await statusOf(`${base}/readyz/`))[0] === 200);
    await until(
      async () => (await owner.get<{ status: string }>(`/microservices/workflow/${id}/`)).status === 'COMPLETED',
    );
  });
});
