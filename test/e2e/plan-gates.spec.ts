import { randomUUID } from 'node:crypto';
import { CachedPrincipals } from '@app/auth';
import { LiveBus } from '@app/live';
import { postJson, startApi, type TestApi } from '../support/api.js';
import { ChatSocket } from '../support/chat-socket.js';
import { callStore, note, upload } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { apiToken, callTool, connectMcp } from '../support/mcp-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { Directory } from '../support/scim.js';
import { type Bought, subscribe } from '../support/subscriptions.js';
import { until } from '../support/until.js';
import { ask, startWorkflow } from '../support/workflow-api.js';

const oneNode = (seconds = 0) => ({
  name: 'One',
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['wait'] },
    { id: 'wait', kind: 'delay', params: { seconds } },
  ],
});
const notInPlan = (feature: string) => ({
  status: 403,
  body: { code: 'feature_not_in_plan', feature, detail: expect.stringContaining('plan does not include') },
});
const expired = {
  status: 402,
  body: { code: 'subscription_expired', detail: expect.stringContaining('has expired') },
};

/** What both gates share: an api, accounts, and what was bought. */
function deployment(settings: Record<string, string>) {
  const at = {} as { api: TestApi };
  beforeAll(async () => {
    at.api = await startApi({ BILLING: 'test', ...settings });
    await at.api.hostRunner();
  });
  afterAll(() => at.api.stop());
  const sql = <T>(text: string, values: unknown[] = []) => at.api.database.dataSource.query<T>(text, values);
  const idOf = async (client: HttpClient) => {
    const [{ id }] = await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [client.username]);
    return id;
  };
  return {
    at,
    sql,
    idOf,
    buy: async (client: HttpClient, bought: Partial<Bought> = {}) =>
      subscribe(at.api.app, { userId: await idOf(client), ...bought }),
    statusOf: async (workflowId: string) =>
      (
        await sql<{ status: string }[]>('SELECT status FROM workflow_runs WHERE workflow_id = $1 ORDER BY version', [
          workflowId,
        ])
      ).map(({ status }) => status),
    /** Fires at once, as far as its plan goes. */
    schedule: async (client: HttpClient, workflowId: string) => {
      const path = `/microservices/workflow/${workflowId}/schedules/`;
      const { id } = await client.post<{ id: string }>(path, { name: 's', kind: 'interval', interval_minutes: 60 });
      return {
        read: () =>
          client.get<{ last_status: string; last_error: string; state: string; next_run_at: string }>(`${path}${id}/`),
        due: () => sql(`UPDATE workflow_schedules SET next_run_at = now(), due_at = now() WHERE id = $1`, [id]),
      };
    },
  };
}

describe('the feature gate', () => {
  const { at, buy, sql, idOf, statusOf, schedule } = deployment({ FEATURE_GATE: 'true' });
  const lacking = { features: { flowapps: false, dashboards: false, chat_ai: false, data_integration: false } };

  it('refuses to make and to change, and never to read, to export or to delete', async () => {
    const client = await at.api.signUp();
    const workflow = await startWorkflow(client, oneNode());
    const board = await client.post<{ id: number }>('/microservices/boards/', { name: 'B' });
    const { id: chat } = await client.post<{ id: number }>('/microservices/chat-sessions/', {
      kind: 'chat',
      title: 'C',
    });
    await buy(client, lacking);
    const of = (method: string, path: string, body: object = {}) =>
      ask(client, method, `/microservices/${path}`, method === 'GET' ? undefined : body);
    expect(await of('POST', 'workflow/start/', { json: oneNode() })).toMatchObject(notInPlan('flowapps'));
    expect(await of('PUT', `workflow/${workflow}/`, { name: 'x' })).toMatchObject(notInPlan('flowapps'));
    expect(await of('POST', 'workflow/rerun/', { workflow_id: workflow })).toMatchObject(notInPlan('flowapps'));
    expect(await of('POST', `workflow/${workflow}/schedules/`, {})).toMatchObject(notInPlan('flowapps'));
    expect(await of('POST', 'boards/', { name: 'C' })).toMatchObject(notInPlan('dashboards'));
    expect(await of('POST', 'agent/chat/', { message: 'x' })).toMatchObject(notInPlan('chat_ai'));
    expect(await ask(client, 'POST', '/secure-gpt/chat/', {})).toMatchObject(notInPlan('chat_ai'));
    expect(await of('POST', 'data-sources/', {})).toMatchObject(notInPlan('data_integration'));
    expect(await ask(client, 'POST', '/semantic-search/sources/', {})).toMatchObject(notInPlan('data_integration'));
    // What they have is theirs.
    for (const path of [
      `workflow/${workflow}/`,
      'workflow/',
      `workflow/${workflow}/history/`,
      `boards/${board.id}/`,
      `chat-sessions/${chat}/messages/`,
    ])
      expect([path, (await of('GET', path)).status]).toEqual([path, 200]);
    for (const path of [`workflow/${workflow}/`, `boards/${board.id}/`, `chat-sessions/${chat}/`])
      expect([200, 204]).toContain((await of('DELETE', path)).status);
    // What every account has.
    expect((await upload(client, note())).status).toBe(201);
    expect(await ask(client, 'POST', '/users/export/')).toMatchObject({ status: 202 });
  });

  it('comes before the body, and after who calls', async () => {
    const client = await at.api.signUp();
    await buy(client, lacking);
    expect(await ask(client, 'POST', '/microservices/boards/', { name: 7 })).toMatchObject(notInPlan('dashboards'));
    const anonymous = await postJson(`${at.api.baseUrl}/microservices/boards/`, {});
    expect(anonymous.status).toBe(401);
    await buy(client, { features: { dashboards: true } });
    expect((await ask(client, 'POST', '/microservices/boards/', { name: 'B' })).status).toBe(201);
  });

  it('starts nothing of whoever lost workflows: by others, webhooks or schedules; what runs goes on', async () => {
    const owner = await at.api.signUp();
    const id = await startWorkflow(owner, oneNode(2));
    const { webhook_id, webhook_secret } = await owner.get<Record<string, string>>(`/microservices/workflow/${id}/`);
    const nightly = await schedule(owner, id);
    const trigger = () =>
      postJson(`${at.api.baseUrl}/microservices/workflow/webhook/`, { webhook_id, webhook_secret, payload: {} });
    expect((await trigger()).status).toBe(202);
    await until(async () => (await statusOf(id))[0] === 'RUNNING');
    await buy(owner, lacking);
    expect(await trigger()).toMatchObject(notInPlan('flowapps'));
    // A wrong secret learns nothing of plans.
    const wrong = { webhook_id, webhook_secret: 'x', payload: {} };
    expect((await postJson(`${at.api.baseUrl}/microservices/workflow/webhook/`, wrong)).status).toBe(401);
    const editor = await at.api.signUp();
    await sql(`INSERT INTO workflow_collaborators (workflow_id, user_id, role) VALUES ($1, $2, 'editor')`, [
      id,
      await idOf(editor),
    ]);
    expect(await ask(editor, 'POST', '/microservices/workflow/rerun/', { workflow_id: id })).toMatchObject(
      notInPlan('flowapps'),
    );
    await nightly.due();
    await until(async () => (await nightly.read()).last_status === 'SKIPPED');
    expect(await nightly.read()).toMatchObject({
      last_error: 'The plan of the owner does not include workflows.',
      state: 'active',
    });
    await until(async () => (await statusOf(id))[0] === 'COMPLETED');
    expect(await statusOf(id)).toEqual(['COMPLETED']);
    // With the plan back everything goes on by itself.
    await buy(owner, {});
    await nightly.due();
    await until(async () => (await statusOf(id)).length === 2);
  });

  it('holds for sockets and for tools of MCP clients', async () => {
    const client = await at.api.signUp();
    const id = await startWorkflow(client, oneNode());
    const mcp = await connectMcp(
      at.api.baseUrl,
      await apiToken(client, ['workflows:read', 'workflows:run', 'documents:read']),
    );
    await buy(client, lacking);
    expect(await NodesSocket.of(at.api.baseUrl, id, `token=${client.token}`).closed).toBe(403);
    expect(await new ChatSocket(at.api.baseUrl, randomUUID(), { client }).closed).toBe(403);
    await expect(callTool(mcp, 'run_workflow', { workflow_id: id })).rejects.toThrow('feature_not_in_plan');
    await expect(callTool(mcp, 'ask_documents', { question: 'x' })).rejects.toThrow('feature_not_in_plan');
    expect(await callTool(mcp, 'list_workflows')).toMatchObject({ count: 1 });
    expect(await callTool(mcp, 'list_documents')).toMatchObject({ documents: [] });
    await mcp.close();
  });

  it('lets directories provision with a plan for it, and put people out without', async () => {
    const directory = await Directory.open(at.api);
    const [{ id: buyer }] = await sql<[{ id: number }]>(
      `INSERT INTO users (username, email, organization_id) VALUES ($1, $1 || '@x.example', $2) RETURNING id`,
      [`o${randomUUID().slice(0, 8)}`, directory.organizationId],
    );
    const bought = { userId: buyer, organizationId: directory.organizationId, plan: 'enterprise', seats: 50 };
    const create = (name: string) => directory.call('POST', '/Users', directory.person(name));
    expect(await create('ada1')).toMatchObject({ status: 403, body: { status: '403' } });
    await subscribe(at.api.app, bought);
    const { status, body } = await create('ada1');
    expect(status).toBe(201);
    await subscribe(at.api.app, { ...bought, plan: 'pro' });
    expect((await create('ada2')).status).toBe(403);
    expect((await directory.call('GET', '/Users')).status).toBe(200);
    const path = `/Users/${String(body.id)}`;
    expect((await directory.patch(path, { op: 'replace', path: 'active', value: false })).status).toBe(200);
    expect((await directory.call('DELETE', path)).status).toBe(204);
  });

  it('keeps models of one’s own and secrets of the organisation that the plan has lost, unused', async () => {
    const client = await at.api.signUp();
    const features = { byo_llm: true, global_secrets: true };
    const userId = await idOf(client);
    const [{ id: organizationId }] = await sql<[{ id: number }]>(
      `INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`,
    );
    await sql(
      `UPDATE users SET organization_id = $2, organization_role = 'owner', email_verified = true WHERE id = $1`,
      [userId, organizationId],
    );
    at.api.app.get(CachedPrincipals).announce({ userId });
    await buy(client, { plan: 'pro', organizationId, features });
    const own = '/users/models/own/';
    const model = { name: 'Mine', value: 'alpha', base_url: 'https://models.example/v1', key: 'sk-0123456789' };
    const { id } = await client.post<{ id: number }>(own, model);
    await client.post('/organisations/current/secrets/', { name: 'bank', value: 'Zebrafink-4711' });
    const workflow = await startWorkflow(client, {
      name: 'Names it',
      nodes: [
        {
          id: 'a',
          kind: 'http_request',
          params: { url: 'https://bank.example/', headers: { 'x-api-key': '{{_secret.bank}}' } },
        },
      ],
    });
    const named = async () => (await client.get<{ name: string }[]>('/users/models/')).map(({ name }) => name);
    expect(await named()).toContain('Mine');

    await buy(client, { plan: 'pro', organizationId, features: { byo_llm: false, global_secrets: false } });
    expect(await named()).not.toContain('Mine');
    expect(await ask(client, 'POST', own, model)).toMatchObject(notInPlan('byo_llm'));
    expect(await client.get<{ id: number }[]>(own)).toMatchObject([{ id }]);
    await client.post('/microservices/workflow/rerun/', { workflow_id: workflow });
    await until(async () => (await statusOf(workflow))[0] === 'FAILED');
    expect(await client.get(`/microservices/workflow/${workflow}/nodes/`)).toMatchObject([
      { error: { code: 'unknown_secret' } },
    ]);
    expect(await ask(client, 'DELETE', `${own}${id}/`)).toMatchObject({ status: 204 });
  });
});

describe('the subscription gate', () => {
  const { at, buy, idOf, statusOf, schedule } = deployment({ SUBSCRIPTION_ENFORCEMENT: 'true' });

  it('closes an expired subscription but for reading, exporting, deleting and signing in', async () => {
    const client = await at.api.signUp();
    const workflow = await startWorkflow(client, oneNode());
    const { body: document } = await upload(client, note());
    const token = await apiToken(client, ['documents:read', 'documents:write']);
    for (const status of ['past_due', 'trialing'] as const) {
      await buy(client, { status });
      expect((await ask(client, 'POST', '/microservices/boards/', { name: 'B' })).status).toBe(201);
    }
    await buy(client, { status: 'unpaid' });
    expect(await ask(client, 'POST', '/microservices/boards/', { name: 'B' })).toMatchObject(expired);
    expect(await ask(client, 'POST', '/microservices/workflow/rerun/', { workflow_id: workflow })).toMatchObject(
      expired,
    );
    expect(await upload(client, note('other'))).toMatchObject(expired);
    // In the shape that the route's clients read.
    expect(await ask(client, 'POST', '/users/profile/', { first_name: 'A' })).toMatchObject(expired);
    const byToken = await postJson(
      `${at.api.baseUrl}/semantic-search/upload/tus/`,
      {},
      { authorization: `Token ${token}` },
    );
    expect(byToken).toMatchObject(expired);
    expect(await client.get('/users/me/')).toMatchObject({ info: { entitlements: { is_active: false } } });
    for (const path of [
      '/users/storage/',
      '/semantic-search/documents/',
      `/microservices/workflow/${workflow}/history/`,
      '/users/export/',
    ])
      expect([path, (await ask(client, 'GET', path)).status]).toEqual([path, 200]);
    expect(await ask(client, 'POST', '/users/export/')).toMatchObject({ status: 202 });
    const { path } = document as unknown as { path: string };
    const signed = await ask(client, 'POST', '/media/sign/', { paths: [path] });
    expect(signed.status).toBe(200);
    expect((await callStore(client, 'DELETE', `${document.uid}/delete/`)).status).toBe(200);
    expect((await callStore(client, 'DELETE', `${document.uid}/permanent-delete/`)).status).toBe(200);
    expect((await ask(client, 'DELETE', `/microservices/workflow/${workflow}/`)).status).toBe(200);
    expect(await ask(client, 'POST', '/users/me/')).toMatchObject({ status: 200 });
    // A token that is sent along keeps nobody from signing in.
    const login = await postJson(
      `${at.api.baseUrl}/api/v1/token/login/`,
      { username: 'x', password: 'y' },
      { authorization: `Token ${client.token}` },
    );
    expect(login.status).toBe(400);
    expect((await ask(client, 'POST', '/api/v1/auth/logout/')).status).toBe(204);
  });

  it('closes all members of an organisation, and opens them with the payment', async () => {
    const [owner, member] = await Promise.all([at.api.signUp(), at.api.signUp()]);
    const { dataSource } = at.api.database;
    const [{ id }] = await dataSource.query<[{ id: number }]>(
      `INSERT INTO organizations (name) VALUES ('S') RETURNING id`,
    );
    await dataSource.query('UPDATE users SET organization_id = $1 WHERE username = ANY($2)', [
      id,
      [owner.username, member.username],
    ]);
    for (const client of [owner, member])
      at.api.app.get(LiveBus).invalidate('principals', { userId: await idOf(client) });
    await buy(owner, { organizationId: id, plan: 'pro', status: 'unpaid' });
    const act = () => ask(member, 'POST', '/microservices/boards/', { name: 'B' });
    expect(await act()).toMatchObject(expired);
    await buy(owner, { organizationId: id, plan: 'pro', status: 'active' });
    expect((await act()).status).toBe(201);
  });

  it('holds for webhooks, schedules, sockets and tools of MCP clients', async () => {
    const client = await at.api.signUp();
    const id = await startWorkflow(client, oneNode());
    const { webhook_id, webhook_secret } = await client.get<Record<string, string>>(`/microservices/workflow/${id}/`);
    const nightly = await schedule(client, id);
    const mcp = await connectMcp(at.api.baseUrl, await apiToken(client, ['workflows:read', 'workflows:run']));
    await buy(client, { status: 'unpaid' });
    const trigger = { webhook_id, webhook_secret, payload: {} };
    expect(await postJson(`${at.api.baseUrl}/microservices/workflow/webhook/`, trigger)).toMatchObject(expired);
    const delivered = await postJson(
      `${at.api.baseUrl}/microservices/workflow/webhook/${webhook_id}/`,
      {},
      { 'x-webhook-secret': webhook_secret! },
    );
    expect(delivered).toMatchObject(expired);
    await nightly.due();
    await until(async () => (await nightly.read()).last_status === 'SKIPPED');
    expect(await nightly.read()).toMatchObject({
      last_error: 'The subscription of the owner has expired.',
      state: 'active',
    });
    expect(await statusOf(id)).toEqual([]);
    expect(await NodesSocket.of(at.api.baseUrl, id, `token=${client.token}`).closed).toBe(402);
    await expect(callTool(mcp, 'run_workflow', { workflow_id: id })).rejects.toThrow('subscription_expired');
    expect(await callTool(mcp, 'list_workflows')).toMatchObject({ count: 1 });
    await mcp.close();
  });

  it('asks nothing of those who never had a plan', async () => {
    expect((await ask(await at.api.signUp(), 'POST', '/microservices/boards/', { name: 'B' })).status).toBe(201);
  });
});
