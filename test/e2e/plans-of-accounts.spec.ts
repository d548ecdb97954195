import { EntitlementResolver, FEATURES } from '@app/entitlements';
import { LiveBus } from '@app/live';
import type { INestApplicationContext } from '@nestjs/common';
import { postJson, startApi, type TestApi } from '../support/api.js';
import { upload } from '../support/documents-api.js';
import { startHosted } from '../support/hosted-apps.js';
import type { HttpClient } from '../support/http-client.js';
import { subscribe, unsubscribe } from '../support/subscriptions.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';

const GB = 1024 ** 3;
const NO_TRAINING = { train_after_upload: 'false' };

interface Info {
  plan: Record<string, unknown> | null;
  plan_required: boolean;
  entitlements: Record<string, unknown> & { features: Record<string, boolean> };
}

describe('what plans give to accounts', () => {
  let api: TestApi;
  let replica: TestApi;
  let runner: INestApplicationContext;
  beforeAll(async () => {
    api = await startApi({ BILLING: 'test', PLAN_REQUIRED: 'true', FEATURE_GATE: 'true', WORKFLOW_HISTORY_DAYS: '60' });
    replica = await api.startReplica();
    runner = await startHosted('workflow-runner', replica.config);
  });
  afterAll(async () => {
    await runner.close();
    await replica.stop();
    await api.stop();
  });

  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
  const me = async (client: HttpClient, of = api): Promise<Info> => {
    const response = await fetch(`${of.baseUrl}/users/me/`, { headers: { authorization: `Token ${client.token}` } });
    return ((await response.json()) as { info: Info }).info;
  };
  const idOf = async (client: HttpClient) => {
    const [{ id }] = await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [client.username]);
    return id;
  };
  const organization = async (members: HttpClient[]) => {
    const [{ id }] = await sql<[{ id: number }]>(`INSERT INTO organizations (name) VALUES ('Shared') RETURNING id`);
    for (const member of members) await join(member, id);
    return id;
  };
  const join = async (member: HttpClient, organizationId: number | null) => {
    const userId = await idOf(member);
    await sql('UPDATE users SET organization_id = $2 WHERE id = $1', [userId, organizationId]);
    api.app.get(LiveBus).invalidate('principals', { userId });
  };

  it('are the free tier of the offering without one', async () => {
    const { plan, plan_required, entitlements } = await me(await api.signUp());
    expect([plan, plan_required]).toEqual([null, true]);
    expect(entitlements).toMatchObject({
      plan_code: '',
      plan_name: 'Free',
      owner_type: 'none',
      is_active: true,
      seats: 1,
      support_tier: 'community',
      monthly_workflow_runs: 100,
      included_tokens: 200_000,
      storage_bytes: GB,
      run_history_days: 7,
      live_build_sessions: 1,
      enforced: true,
      storage_enforced: true,
    });
    expect(entitlements.features).toEqual(
      Object.fromEntries(
        FEATURES.map((name) => [name, ['flowapps', 'dashboards', 'chat_ai', 'aes256'].includes(name)]),
      ),
    );
  });

  it('are those of a plan of one’s own, as it was sold', async () => {
    const client = await api.signUp();
    const userId = await idOf(client);
    const periodEnd = new Date('2027-03-01T00:00:00Z');
    await subscribe(api.app, { userId, periodEnd, limits: { includedTokens: 0, monthlyWorkflowRuns: null } });
    const { plan, plan_required, entitlements } = await me(client);
    // No owner: it is not an organisation's.
    expect(plan).toEqual({
      name: 'Starter',
      code: 'starter',
      monthly_price: '29.00',
      yearly_price: '278.40',
      active_until: periodEnd.toISOString(),
    });
    expect(plan_required).toBe(false);
    expect(entitlements).toMatchObject({
      plan_code: 'starter',
      plan_name: 'Starter',
      owner_type: 'user',
      support_tier: 'email',
      // Unlimited and none are different things.
      monthly_workflow_runs: null,
      included_tokens: 0,
      storage_bytes: 20 * GB,
      run_history_days: 30,
      live_build_sessions: 2,
    });
    expect(entitlements.features).toMatchObject({ byo_llm: true, rbac: false, sso_scim: false });
    await unsubscribe(api.app, { userId });
    expect(await me(client)).toMatchObject({ plan: null, entitlements: { owner_type: 'none', storage_bytes: GB } });
  });

  it('stay those of a plan that has left the file, with each flag that there is', async () => {
    const client = await api.signUp();
    const userId = await idOf(client);
    await subscribe(api.app, { userId });
    await sql(
      `UPDATE subscriptions SET plan_code = 'gone', plan = (plan || '{"code": "gone", "name": "Gone"}') #- '{features,rbac}' #- '{limits,includedTokens}'
       WHERE owner_user_id = $1`,
      [userId],
    );
    api.app.get(LiveBus).invalidate('entitlements', { userId });
    const { plan, entitlements } = await me(client);
    expect(plan).toMatchObject({ code: 'gone', name: 'Gone' });
    expect(Object.keys(entitlements.features)).toEqual([...FEATURES]);
    expect(entitlements).toMatchObject({ included_tokens: null, features: { rbac: false, byo_llm: true } });
  });

  it('are shown when it has expired, as no longer active', async () => {
    const client = await api.signUp();
    const userId = await idOf(client);
    await subscribe(api.app, { userId, status: 'past_due' });
    expect(await me(client)).toMatchObject({ plan_required: false, entitlements: { is_active: true } });
    await subscribe(api.app, { userId, status: 'unpaid' });
    expect(await me(client)).toMatchObject({
      plan: { code: 'starter' },
      plan_required: true,
      entitlements: { is_active: false, plan_code: 'starter', storage_bytes: 20 * GB },
    });
  });

  it('are one pool of all members in an organisation, which goes before a plan of one’s own', async () => {
    const [owner, member, stranger] = await Promise.all([api.signUp(), api.signUp(), api.signUp()]);
    const organizationId = await organization([owner, member]);
    await subscribe(api.app, { userId: await idOf(member), plan: 'starter' });
    await subscribe(api.app, { userId: await idOf(owner), organizationId, plan: 'pro', seats: 7 });
    await upload(owner, new File(['x'.repeat(3000)], 'a.txt'), NO_TRAINING);
    await upload(member, new File(['x'.repeat(500)], 'b.txt'), NO_TRAINING);
    expect(await me(owner)).toMatchObject({ plan: { code: 'pro', owner: true } });
    const seen = await me(member);
    expect(seen).toMatchObject({
      plan: { code: 'pro', owner: false },
      entitlements: { owner_type: 'organization', seats: 7, storage_bytes: 200 * GB },
    });
    expect(await member.get('/users/storage/')).toMatchObject({ used_bytes: 3500, limit_bytes: 200 * GB });
    expect(await me(stranger)).toMatchObject({ plan: null, entitlements: { owner_type: 'none' } });
    // Whoever leaves has their own plan again, and takes along what they store.
    await join(member, null);
    expect(await me(member)).toMatchObject({ plan: { code: 'starter' }, entitlements: { owner_type: 'user' } });
    expect(await owner.get('/users/storage/')).toMatchObject({ used_bytes: 3000 });
    expect(await member.get('/users/storage/')).toMatchObject({ used_bytes: 500, limit_bytes: 20 * GB });
  });

  it('add up what all members store, in the breakdown too', async () => {
    const [owner, member] = await Promise.all([api.signUp(), api.signUp()]);
    await upload(owner, new File(['x'.repeat(3000)], 'a.txt'), NO_TRAINING);
    await upload(member, new File(['x'.repeat(500)], 'b.txt'), NO_TRAINING);
    const organizationId = await organization([owner, member]);
    await subscribe(api.app, { userId: await idOf(owner), organizationId, plan: 'pro' });
    expect((await me(member)).entitlements).toMatchObject({
      storage_used_bytes: 3500,
      storage_breakdown: { media: 3500, vector: 0, workflow: 0, total: 3500, limit: 200 * GB },
    });
  });

  it('reach each replica, their gates and the runner within a second, for one account and for all members', async () => {
    const [owner, member, single] = await Promise.all([api.signUp(), api.signUp(), api.signUp()]);
    const organizationId = await organization([owner, member]);
    /** What users/me, the feature gate of sources and the storage say on each api, and what the runner knows. */
    const everywhere = async (client: HttpClient, code: string | undefined, storage: number) => {
      const known = await runner.get(EntitlementResolver).ofUser(await idOf(client));
      const seen = await Promise.all([api, replica].map((one) => me(client, one)));
      const headers = { authorization: `Token ${client.token}` };
      const gates = await Promise.all(
        [api, replica].map(({ baseUrl }) => postJson(`${baseUrl}/microservices/data-sources/`, {}, headers)),
      );
      return (
        known.plan?.code === code &&
        seen.every(({ plan, entitlements }) => plan?.code === code && entitlements.storage_bytes === storage) &&
        // A body that is empty is refused behind the gate.
        gates.every(({ status }) => status === (code === undefined ? 403 : 400))
      );
    };
    // All remember the free tier.
    for (const client of [owner, member, single]) expect(await everywhere(client, undefined, GB)).toBe(true);
    const took = stopwatch();
    await subscribe(api.app, { userId: await idOf(single) });
    await subscribe(replica.app, { userId: await idOf(owner), organizationId, plan: 'pro' });
    await until(
      async () => (await everywhere(single, 'starter', 20 * GB)) && (await everywhere(member, 'pro', 200 * GB)),
      1000,
    );
    process.stdout.write(`new limits everywhere after ${took().toFixed(0)} ms\n`);
    await unsubscribe(replica.app, { userId: await idOf(owner), organizationId });
    await until(() => everywhere(member, undefined, GB), 1000);
  });

  it('are not remembered from before the push by a load that began earlier', async () => {
    const client = await api.signUp();
    const userId = await idOf(client);
    const resolver = api.app.get(EntitlementResolver);
    for (let round = 0; round < 10; round += 1) {
      const loading = Array.from({ length: 5 }, () => resolver.ofUser(userId));
      await (round % 2 === 0 ? subscribe(api.app, { userId }) : unsubscribe(api.app, { userId }));
      await Promise.all(loading);
      expect((await resolver.ofUser(userId)).plan?.code).toBe(round % 2 === 0 ? 'starter' : undefined);
    }
  });

  it('are known for an account alone, and for an organisation alone', async () => {
    const owner = await api.signUp();
    const organizationId = await organization([owner]);
    await subscribe(api.app, { userId: await idOf(owner), organizationId, plan: 'enterprise', seats: 50 });
    const resolver = replica.app.get(EntitlementResolver);
    expect(await resolver.ofUser(await idOf(owner))).toMatchObject({ pool: { type: 'organization', organizationId } });
    expect((await resolver.ofOrganization(organizationId)).features.sso_scim).toBe(true);
    expect((await resolver.ofUser(0)).plan).toBeNull();
  });
});

it('are everything where nothing is sold, whatever the gates say', async () => {
  const api = await startApi({ PLAN_REQUIRED: 'true', FEATURE_GATE: 'true', SUBSCRIPTION_ENFORCEMENT: 'true' });
  const { info } = await (await api.signUp()).get<{ info: Info }>('/users/me/');
  expect(info).toMatchObject({ plan: null, plan_required: false });
  expect(info.entitlements).toMatchObject({ enforced: false, monthly_workflow_runs: null });
  expect(info.entitlements.features).toEqual(Object.fromEntries(FEATURES.map((name) => [name, true])));
  await api.stop();
});
