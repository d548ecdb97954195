import { AgentLife, AgentsByPlan } from '@app/dedicated-agent';
import { LiveBus } from '@app/live';
import { startApi, type TestApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import type { HttpClient } from '../support/http-client.js';
import { type Bought, subscribe, unsubscribe } from '../support/subscriptions.js';
import { until } from '../support/until.js';

const statusOf = async (client: HttpClient) => {
  const { info } = await client.get<{ info: Record<string, unknown> }>('/users/me/');
  return [info.dedicated_agent, info.dedicated_agent_status];
};

const becomes = (client: HttpClient, status: unknown[]) =>
  until(async () => JSON.stringify(await statusOf(client)) === JSON.stringify(status));

describe('dedicated agents by plan', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ BILLING: 'test', FEATURE_GATE: 'true' });
    await api.hostRunner();
  });
  afterAll(() => api.stop());

  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
  const idOf = async (client: HttpClient) => {
    const [{ id }] = await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [client.username]);
    return id;
  };
  const auditOf = async (userId: number) => {
    const [{ id }] = await sql<[{ id: string }]>('SELECT id FROM dedicated_agents WHERE user_id = $1', [userId]);
    return auditedActions(api.database.dataSource, { target: `agent:${id}` });
  };

  it('are made, paused and resumed as the plan of their owner changes, and never deleted', async () => {
    const client = await api.signUp();
    const userId = await idOf(client);
    const bought: Bought = { userId, features: { dedicated_agent: true } };
    expect(await statusOf(client)).toEqual([false, null]);
    await subscribe(api.app, bought);
    await becomes(client, [true, 'running']);
    // Told many times, by many: once.
    const settle = () => api.app.get(AgentsByPlan).settle(userId);
    expect(await Promise.all([settle(), settle(), settle()])).toEqual([false, false, false]);
    await unsubscribe(api.app, bought);
    await becomes(client, [true, 'paused']);
    const asked = await client.send('POST', '/microservices/dedicated-agent/runs/', { input: 'x' });
    expect([asked.status, ((await asked.json()) as { code: string }).code]).toEqual([403, 'feature_not_in_plan']);
    expect((await client.send('GET', '/microservices/dedicated-agent/runs/')).status).toBe(200);
    await subscribe(api.app, bought);
    await becomes(client, [true, 'running']);
    expect(await sql('SELECT count(*)::int AS agents FROM dedicated_agents WHERE user_id = $1', [userId])).toEqual([
      { agents: 1 },
    ]);
  });

  it('stay as operators and people left them', async () => {
    const client = await api.signUp();
    const userId = await idOf(client);
    const bought: Bought = { userId, features: { dedicated_agent: true } };
    await subscribe(api.app, bought);
    await becomes(client, [true, 'running']);
    const life = api.app.get(AgentLife);
    await life.pause(userId, 'terminal', 'Paused by an operator.');
    await unsubscribe(api.app, bought);
    await subscribe(api.app, bought);
    await api.app.get(AgentsByPlan).settleAll();
    expect(await statusOf(client)).toEqual([true, 'paused']);
    await life.revoke(userId, 'terminal');
    await api.app.get(AgentsByPlan).settleAll();
    expect(await statusOf(client)).toEqual([true, 'stopped']);
  });

  it('are those of all members of an organisation, of who joins later too', async () => {
    const [owner, member, joining] = await Promise.all([api.signUp(), api.signUp(), api.signUp()]);
    const [{ id: organizationId }] = await sql<[{ id: number }]>(
      `INSERT INTO organizations (name) VALUES ('Shared') RETURNING id`,
    );
    const join = async (client: HttpClient, organization: number | null) => {
      const userId = await idOf(client);
      await sql('UPDATE users SET organization_id = $2 WHERE id = $1', [userId, organization]);
      api.app.get(LiveBus).invalidate('principals', { userId });
    };
    await join(owner, organizationId);
    await join(member, organizationId);
    await subscribe(api.app, { userId: await idOf(owner), organizationId, plan: 'pro' });
    await becomes(member, [true, 'running']);
    await join(joining, organizationId);
    await join(member, null);
    await api.app.get(AgentsByPlan).settleAll();
    expect([await statusOf(joining), await statusOf(member)]).toEqual([
      [true, 'running'],
      [true, 'paused'],
    ]);
    expect(await auditOf(await idOf(member))).toEqual(['agent.granted', 'agent.paused']);
  });

  it('are nobody’s business where the gate is off', async () => {
    const open = await api.startReplica({ FEATURE_GATE: 'false' });
    const client = await open.signUp();
    const userId = await idOf(client);
    await sql('UPDATE users SET dedicated_agent = true WHERE id = $1', [userId]);
    await open.app.get(AgentLife).grant(userId, 'terminal');
    expect(await open.app.get(AgentsByPlan).settle(userId)).toBe(false);
    await open.stop();
  });
});
