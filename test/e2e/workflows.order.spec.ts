import { OrderOfMembers1766000005700 } from '../../libs/entities/src/migrations/1766000005700-order-of-members.js';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { inAll } from '../support/long.js';
import { until } from '../support/until.js';
import { startWorkflow } from '../support/workflow-api.js';

type Json = Record<string, unknown>;

/** By the length of their names, as `jsonb` keeps them, each would be another order. */
const ORDERS =
  '[{"customer":"Ana","amount":12.5,"id":"b7","city":"Lyon"},{"customer":"Bo","amount":3,"id":"b8","city":"Oslo"}]';
const CSV = 'customer,amount,id,city\nAna,12.5,b7,Lyon\nBo,3,b8,Oslo\n';
const FIELDS = '{"zeta":1,"alpha":{"second":true,"a":null},"mid":[{"name":"x","id":2}]}';

const csv = (id: string, items: unknown, next: string[] = []) => ({ id, kind: 'write_csv', params: { items }, next });

const DEFINITION = {
  name: 'Orders as they come',
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['set', 'at once', 'pause'] },
    { id: 'set', kind: 'set', params: { fields: JSON.parse(FIELDS) as Json }, next: [], save_output: true },
    csv('at once', { $ref: '_webhook_payload.orders' }),
    // Its run is put down, and taken up from the database.
    { id: 'pause', kind: 'delay', params: { seconds: 1 }, next: ['later', 'each'] },
    csv('later', { $ref: '_webhook_payload.orders' }),
    {
      id: 'each',
      kind: 'batch',
      params: {
        kind: 'set',
        items: { $ref: '_webhook_payload.orders' },
        params: { fields: { order: { $ref: '_item' }, it: 1 } },
      },
      next: ['rest'],
    },
    { id: 'rest', kind: 'delay', params: { seconds: 1 }, next: ['of set'] },
    csv('of set', [{ $ref: '_output.set' }]),
  ],
};

/**
 * What people wrote as JSON keeps the order of its members wherever it is kept (docs/contract/workflows.md#definitions): a
 * file has its columns in that order, and a caller reads his own words again.
 */
describe('the order of members', () => {
  let api: TestApi;
  let owner: HttpClient;
  let id: string;
  let hook: { webhook_id: string; webhook_secret: string };
  beforeAll(async () => {
    api = await startApi();
    await api.hostRunner();
    owner = await api.signUp();
    id = await startWorkflow(owner, DEFINITION);
    hook = await owner.get<typeof hook>(`/microservices/workflow/${id}/`);
  });
  afterAll(() => api?.stop());

  const runOf = async (version: number) => {
    const path = `/microservices/workflow/${id}/history/${version}/`;
    await until(async () => (await owner.get<Json>(path)).finished_at !== null);
    return owner.get<Json & { nodes: { node_id: string; status: string; input: Json; output: Json }[] }>(path);
  };
  const outputsOf = async (version: number) => {
    const { nodes } = await runOf(version);
    expect(nodes.map(({ status }) => status)).toEqual(nodes.map(() => 'COMPLETED'));
    return Object.fromEntries(nodes.map(({ node_id, output }) => [node_id, output]));
  };
  const call = async (payload: string) => {
    const response = await fetch(`${api.baseUrl}/microservices/workflow/webhook/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `${JSON.stringify(hook).slice(0, -1)},"payload":${payload}}`,
    });
    expect(response.status).toBe(202);
  };

  it('of a definition is what was saved', async () => {
    const { json_spec } = await owner.get<{ json_spec: { nodes: { id: string; params: Json }[] } }>(
      `/microservices/workflow/${id}/`,
    );
    const { params } = json_spec.nodes.find((node) => node.id === 'set')!;
    expect(JSON.stringify(params.fields)).toBe(FIELDS);
    const version = await owner.get<typeof json_spec & { json_spec: typeof json_spec }>(
      `/microservices/workflow/${id}/versions/1/`,
    );
    expect(JSON.stringify(version.json_spec)).toBe(JSON.stringify(json_spec));
  });

  it('of a payload reaches each node, before and after the run was put down', async () => {
    await call(`{"source":"shop","orders":${ORDERS},"at":1}`);
    const outputs = await outputsOf(1);
    expect(outputs['at once']).toMatchObject({ text: CSV, columns: ['customer', 'amount', 'id', 'city'] });
    expect(outputs['later']).toEqual(outputs['at once']);
    expect(JSON.stringify(outputs['set'])).toBe(FIELDS);
    expect((outputs['of set'] as { columns: string[] }).columns).toEqual(['zeta', 'alpha', 'mid']);
    const results = outputs['each']!.results as Json[];
    expect(JSON.stringify(results)).toBe(
      `[${(JSON.parse(ORDERS) as Json[]).map((order) => JSON.stringify({ order, it: 1 })).join(',')}]`,
    );
    const { nodes } = await runOf(1);
    const start = nodes.find(({ node_id }) => node_id === 'start')!;
    expect(JSON.stringify(start.input)).toContain(`"source":"shop","orders":${ORDERS},"at":1`);
    const kept = await owner.get<{ results: { value: Json }[] }>(`/microservices/workflow/${id}/outputs/`);
    expect(kept.results.map(({ value }) => JSON.stringify(value))).toEqual([FIELDS]);
  });

  inAll('of a payload that waited in the queue, and of a schedule, too', async () => {
    await Promise.all([call(`{"orders":${ORDERS}}`), call(`{"orders":${ORDERS}}`)]);
    expect((await outputsOf(2))['at once']).toMatchObject({ text: CSV });
    expect((await outputsOf(3))['at once']).toMatchObject({ text: CSV });
    const schedule = await owner.post<{ id: string; payload: Json }>(`/microservices/workflow/${id}/schedules/`, {
      name: 'Daily',
      kind: 'interval',
      interval_minutes: 1440,
      timezone: 'UTC',
      payload: { orders: JSON.parse(ORDERS) as unknown, at: 1 },
    });
    expect(JSON.stringify(schedule.payload)).toBe(`{"orders":${ORDERS},"at":1}`);
    await owner.post(`/microservices/workflow/${id}/schedules/${schedule.id}/run/`, {});
    expect((await outputsOf(4))['at once']).toMatchObject({ text: CSV });
  });

  inAll('is what jsonb makes of it where a table was too large for the migration, and all else works', async () => {
    const runner = api.database.dataSource.createQueryRunner();
    await new OrderOfMembers1766000005700().down(runner).finally(() => runner.release());
    await Promise.all([call(`{"orders":${ORDERS}}`), call(`{"orders":${ORDERS}}`)]);
    for (const version of [5, 6]) {
      const { later } = await outputsOf(version);
      expect((later!.columns as string[]).toSorted()).toEqual(['amount', 'city', 'customer', 'id']);
    }
    const { version } = await owner.post<{ version: number }>('/microservices/workflow/rerun/', { workflow_id: id });
    await runOf(version);
  });
});
