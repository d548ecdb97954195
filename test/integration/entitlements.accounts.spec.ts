import { DatabaseModule, monthOf } from '@app/entities';
import {
  accountsOf,
  type Entitlement,
  EntitlementResolver,
  type EntitlementSettings,
  EntitlementsModule,
  Gates,
  OwnedUsage,
  PlanCatalog,
  type Pool,
  poolKey,
  type Refusal,
  runsOfMonth,
  tokensOfMonth,
} from '@app/entitlements';
import { ErasureRegistry, type ExportedFile } from '@app/erasure';
import { LiveBus, LiveModule, LiveRedis } from '@app/live';
import { OwnModelRights } from '@app/models';
import { Test, type TestingModule } from '@nestjs/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { subscribe, unsubscribe } from '../support/subscriptions.js';

const alone = (userId: number) => ({ userId, organizationId: null });
const codeOf = async (found: Promise<Entitlement>) => (await found).plan?.code ?? null;
const refusalOf = async (refusal: Promise<Refusal | null>) => (await refusal)?.code ?? null;

describe('what accounts may use', () => {
  let database: TestDatabase;
  let app: TestingModule;
  /** A deployment that sells nothing. */
  let unsold: TestingModule;
  let resolver: EntitlementResolver;
  let db: EntityManager;
  let user: number;
  let organizationId: number;

  async function start(overrides: Record<string, string>): Promise<TestingModule> {
    const config = testConfig(database.url, overrides);
    const imports = [
      DatabaseModule.forRoot(config, 'test'),
      LiveModule.forRoot(config),
      EntitlementsModule.forRoot(config),
    ];
    const module = await Test.createTestingModule({ imports, providers: [ErasureRegistry, OwnedUsage] }).compile();
    module.useLogger(false);
    return module.init();
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.dataSource.manager;
    const BILLING = { BILLING: 'test', FEATURE_GATE: 'true', SUBSCRIPTION_ENFORCEMENT: 'true' };
    [app, unsold] = [await start(BILLING), await start({ BILLING: 'none', STORAGE_QUOTA_BYTES: '1000' })];
  });
  afterAll(async () => {
    await Promise.all([app.close(), unsold.close()]);
    await database.drop();
  });
  beforeEach(async () => {
    await heard();
    resolver = listening(app.get(LiveBus));
    [user, organizationId] = [await createUserRow(database), await shared()];
  });

  const sql = <T = unknown[]>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);
  async function shared(): Promise<number> {
    const [{ id }] = await sql<[{ id: number }]>(`INSERT INTO organizations (name) VALUES ('Shared') RETURNING id`);
    return id;
  }
  const join = (userId: number, to: number | null) =>
    sql('UPDATE users SET organization_id = $2 WHERE id = $1', [userId, to]);
  /** One of the test's own. */
  function listening(live: LiveBus, catalog = app.get(PlanCatalog), dataSource = database.dataSource) {
    const settings = { storageQuotaBytes: 1000, runHistoryDays: 45 } as EntitlementSettings;
    const made = new EntitlementResolver(dataSource, live, catalog, settings);
    made.onModuleInit();
    return made;
  }
  /** What was published before has come back. */
  async function heard(): Promise<void> {
    const back = Promise.withResolvers<void>();
    const live = app.get(LiveBus);
    const stop = await live.subscribe(
      'entitlements',
      (changed) => 'userId' in changed && changed.userId === -1 && back.resolve(),
    );
    live.publish('entitlements', { userId: -1 });
    await back.promise;
    stop();
  }
  /** Bought, and nobody is told of it. */
  const buy = (code: string, userId: number, of: number | null = null) =>
    sql(
      `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor)
       VALUES (gen_random_uuid(), $1, $2, 'active', $3, $4, 'monthly', 1, 'test')`,
      [userId, of, code, app.get(PlanCatalog).find(code)],
    );
  /** A change that nobody is told of. */
  const silently = (code: string, where: string, id: number) =>
    sql(`UPDATE subscriptions SET plan = $1 WHERE ${where} = $2`, [app.get(PlanCatalog).find(code), id]);
  const count = (kind: string, key: string, part: string, change: number) =>
    sql('INSERT INTO kept_total_changes (kind, key, part, change) VALUES ($1, $2, $3, $4)', [kind, key, part, change]);
  const membersOf = async (pool: Pool) => [...(await accountsOf(db, pool))].toSorted();

  it('is the free tier, until there is a plan', async () => {
    expect(await resolver.ofUser(user)).toMatchObject({
      plan: null,
      planName: 'Free',
      pool: { type: 'none', userId: user },
      limits: app.get(PlanCatalog).offering!.free.limits,
    });
    await subscribe(app, { userId: user });
    expect(await resolver.ofUser(user)).toMatchObject({ planName: 'Starter', pool: { type: 'user', userId: user } });
    await unsubscribe(app, { userId: user });
    expect(await codeOf(resolver.ofUser(user))).toBeNull();
  });

  it('is what the organisation has, for all of its members and for itself', async () => {
    const [member, outside] = [await createUserRow(database), await createUserRow(database)];
    for (const one of [user, member]) await join(one, organizationId);
    await subscribe(app, { userId: outside });
    await subscribe(app, { userId: user, organizationId, plan: 'pro', seats: 5 });
    const pool = { type: 'organization', organizationId };
    for (const found of [resolver.ofUser(member), resolver.ofOrganization(organizationId)])
      expect(await found).toMatchObject({ planName: 'Pro', pool, seats: 5, ownerUserId: user });
    expect(await resolver.readOrganization(db, organizationId)).toMatchObject({ planName: 'Pro', pool });
    expect(await codeOf(resolver.readOrganization(db, await shared()))).toBeNull();
    expect(await codeOf(resolver.ofOrganization(await shared()))).toBeNull();
    expect(await codeOf(resolver.ofUser(outside))).toBe('starter');
  });

  it('is remembered, and read anew where something is locked or deleted', async () => {
    await buy('starter', user);
    expect(resolver.peek(alone(user))).toBeUndefined();
    const first = await resolver.of(alone(user));
    expect(resolver.peek(alone(user))).toBe(first);
    await silently('pro', 'owner_user_id', user);
    expect(await resolver.of(alone(user))).toBe(first);
    expect(await resolver.ofUser(user)).toBe(first);
    expect(await codeOf(resolver.readNow(db, user))).toBe('pro');
    // Of another organisation it is another question.
    expect(resolver.peek({ userId: user, organizationId })).toBeUndefined();
  });

  it('is forgotten when its own plan changes, and that of nobody else', async () => {
    const other = await createUserRow(database);
    for (const userId of [user, other]) {
      await buy('starter', userId);
      await resolver.of(alone(userId));
      await silently('pro', 'owner_user_id', userId);
    }
    app.get(LiveBus).invalidate('entitlements', { userId: user });
    expect(await codeOf(resolver.of(alone(user)))).toBe('pro');
    expect(await codeOf(resolver.of(alone(other)))).toBe('starter');
  });

  it('is forgotten for all members when the plan of their organisation changes', async () => {
    const elsewhere = await shared();
    for (const one of [organizationId, elsewhere]) {
      await buy('pro', user, one);
      await resolver.of({ userId: user, organizationId: one });
      await silently('enterprise', 'organization_id', one);
    }
    app.get(LiveBus).invalidate('entitlements', { organizationId });
    expect(await codeOf(resolver.of({ userId: user, organizationId }))).toBe('enterprise');
    expect(await codeOf(resolver.of({ userId: user, organizationId: elsewhere }))).toBe('pro');
  });

  it('follows an account into another organisation', async () => {
    const other = await createUserRow(database);
    await buy('pro', user, organizationId);
    for (const one of [user, other]) {
      expect(await codeOf(resolver.ofUser(one))).toBeNull();
      await join(one, organizationId);
    }
    app.get(LiveBus).invalidate('principals', { sessionId: 'of nobody' });
    expect(await codeOf(resolver.ofUser(user))).toBeNull();
    app.get(LiveBus).invalidate('principals', { userId: user });
    expect(await codeOf(resolver.ofUser(user))).toBe('pro');
    expect(await codeOf(resolver.ofUser(other))).toBeNull();
  });

  it('is read anew when changes may have been missed', async () => {
    await buy('pro', user, organizationId);
    const before = await resolver.ofUser(user);
    const asMember = await resolver.of({ userId: user, organizationId });
    await silently('enterprise', 'organization_id', organizationId);
    await join(user, organizationId);
    const back = Promise.withResolvers<void>();
    app.get(LiveBus).onGap(back.resolve);
    app.get(LiveRedis).subscriber.disconnect(true);
    await back.promise;
    expect(resolver.peek({ userId: user, organizationId })).not.toBe(asMember);
    expect([before.plan, await codeOf(resolver.ofUser(user))]).toEqual([null, 'enterprise']);
  });

  it('starts all the same where nobody can tell of changes', async () => {
    const live = { onGap: () => undefined, subscribe: () => Promise.reject(new Error('away')) } as unknown as LiveBus;
    expect(await codeOf(listening(live).ofUser(user))).toBeNull();
  });

  it('is everything where nothing is sold, without a look', async () => {
    // What is asked fails.
    const nothing = { query: () => Promise.reject(new Error('asked')) } as unknown as DataSource;
    const none = listening({} as LiveBus, unsold.get(PlanCatalog), nothing);
    const account = { userId: user, organizationId };
    const everything = { plan: null, limits: { storageBytes: 1000, monthlyWorkflowRuns: null } };
    const answers = [none.peek(account), await none.of(account), await none.ofUser(user)];
    for (const one of [...answers, await none.readNow(nothing, user)])
      expect(one).toMatchObject({ ...everything, pool: { type: 'none', userId: user } });
    for (const one of [await none.ofOrganization(organizationId), await none.readOrganization(nothing, organizationId)])
      expect(one).toMatchObject({ ...everything, pool: { type: 'none', userId: 0 } });
    expect(Object.values(answers[0]!.features)).not.toContain(false);
    expect(await unsold.get(OwnModelRights).mayUse(user)).toBe(true);
  });

  it('has models of their own only with a plan that has them', async () => {
    expect(await app.get(OwnModelRights).mayUse(user)).toBe(false);
    await subscribe(app, { userId: user });
    expect(await app.get(OwnModelRights).mayUse(user)).toBe(true);
  });

  it('is refused by what the organisation has, or what is paid for in this moment', async () => {
    const gates = app.get(Gates);
    await join(user, organizationId);
    expect(await refusalOf(gates.refusalFor(user, 'rbac'))).toBe('feature_not_in_plan');
    await expect(gates.checkOrganization(organizationId, 'rbac')).rejects.toMatchObject({
      code: 'feature_not_in_plan',
    });
    await subscribe(app, { userId: user, organizationId, plan: 'pro' });
    await heard();
    expect(await refusalOf(gates.refusalFor(user, 'rbac'))).toBeNull();
    await gates.checkOrganization(organizationId, 'rbac');
    await sql(`UPDATE subscriptions SET status = 'unpaid' WHERE organization_id = $1`, [organizationId]);
    expect(await refusalOf(gates.refusalFor(user, 'core'))).toBeNull();
    expect(await refusalOf(gates.refusalNow(db, user, 'core'))).toBe('subscription_expired');
  });

  describe('and what they used of a month', () => {
    const month = monthOf();

    it('is counted by pool, kind and month', async () => {
      const own = { type: 'user', userId: user } as const;
      const free = { type: 'none', userId: user } as const;
      const theirs = { type: 'organization', organizationId } as const;
      expect([own, free, theirs].map(poolKey)).toEqual([`u${user}`, `u${user}`, `o${organizationId}`]);
      expect([await runsOfMonth(db, own), await tokensOfMonth(db, own)]).toEqual([0, 0]);
      await count('workflow_runs', `u${user}`, month, 3);
      await count('workflow_runs', `u${user}`, `${month}/o${organizationId}`, 4);
      await count('workflow_runs', `u${user}`, '2020-01', 5);
      await count('model_tokens', `u${user}`, month, 70);
      await count('workflow_runs', `o${organizationId}`, month, 90);
      await count('model_tokens', `o${organizationId}`, '2020-01', 8);
      for (const pool of [own, free])
        expect([await runsOfMonth(db, pool), await tokensOfMonth(db, pool)]).toEqual([7, 70]);
      expect([await runsOfMonth(db, own, '2020-01'), await tokensOfMonth(db, theirs, '2020-01')]).toEqual([5, 8]);
      expect([await runsOfMonth(db, theirs), await tokensOfMonth(db, theirs)]).toEqual([90, 0]);
    });

    it('goes with the account, without what the organisation used, and is in the copy of its data', async () => {
      const other = await createUserRow(database);
      const owned = app.get(ErasureRegistry).list()[0] as OwnedUsage;
      expect(owned).toMatchObject({
        name: 'usage',
        tables: ['kept_totals', 'kept_total_changes', 'usage_notices'],
        order: 95,
      });
      const copy = async () => {
        const files: ExportedFile[] = [];
        for await (const file of owned.exportFor(user)) files.push(file);
        return files;
      };
      expect([await owned.countFor(user), await copy()]).toEqual([0, []]);
      await count('workflow_runs', `u${user}`, `${month}/o${organizationId}`, 4);
      await count('model_tokens', `u${user}`, '2020-01', 50);
      for (const key of [`o${organizationId}`, `u${other}`]) await count('workflow_runs', key, month, 4);
      await sql(
        `INSERT INTO usage_notices (pool, month, measure, threshold)
         SELECT unnest($1::text[]), $2, 'workflow_runs', 80`,
        [[`u${user}`, `u${other}`, `o${organizationId}`], month],
      );
      expect(await owned.countFor(user)).toBe(2);
      const [file] = await copy();
      expect(file!.path).toBe('usage-by-month.json');
      expect(JSON.parse(file!.content as string)).toEqual([
        { kind: 'workflow_runs', month, organization_id: organizationId, value: 4 },
        { kind: 'model_tokens', month: '2020-01', organization_id: null, value: 50 },
      ]);
      expect(file!.content).toContain('\n  {\n    "kind"');
      expect(await database.dataSource.transaction((tx) => owned.deleteSome(user, tx))).toBe(2);
      expect(await database.dataSource.transaction((tx) => owned.deleteSome(user, tx))).toBe(0);
      expect(await owned.countFor(user)).toBe(0);
      expect([await owned.countFor(other), await runsOfMonth(db, { type: 'organization', organizationId })]).toEqual([
        1, 4,
      ]);
      const left = await sql<{ pool: string }[]>('SELECT pool FROM usage_notices WHERE pool = ANY ($1)', [
        [`u${user}`, `u${other}`, `o${organizationId}`],
      ]);
      expect(left.map(({ pool }) => pool).toSorted()).toEqual([`o${organizationId}`, `u${other}`]);
    });
  });

  it('belongs to all accounts of the pool', async () => {
    const member = await createUserRow(database);
    for (const one of [user, member]) await join(one, organizationId);
    expect(await membersOf({ type: 'organization', organizationId })).toEqual([user, member].toSorted());
    expect(await membersOf({ type: 'user', userId: user })).toEqual([user]);
  });
});
