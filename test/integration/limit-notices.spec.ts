import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimChangedTotals, DatabaseModule, foldTotals, monthOf } from '@app/entities';
import { EntitlementsModule, LimitNotices, PlanCatalog } from '@app/entitlements';
import { LiveModule } from '@app/live';
import { Messages, MessagesModule } from '@app/messages';
import { QueuesModule } from '@app/queues';
import { SecretsModule } from '@app/secrets';
import { WorkModule } from '@app/work';
import { Test, type TestingModule } from '@nestjs/testing';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUser } from '../support/workflows.js';

const PLANS = `
currency: EUR
free:
  name: Free
  features: []
  limits: { monthly_workflow_runs: 10, included_tokens: 1000, storage: 1000, run_history_days: 7, live_build_sessions: 1 }
plans:
  - code: team
    name: Team
    tier: pro
    monthly_price: "79.00"
    seats: { min: 1, max: 100, adjustable: true }
    pool: organization
    features: []
    limits: { monthly_workflow_runs: 20, included_tokens: null, storage: 2000, run_history_days: 7, live_build_sessions: 1 }
`;

/** docs/contract/usage.md#mails. */
describe('notices of limits', () => {
  let database: TestDatabase;
  const modules: TestingModule[] = [];
  let notices: LimitNotices;
  let other: LimitNotices;
  const plansFile = join(mkdtempSync(join(tmpdir(), 'atrium-plans-')), 'plans.yaml');

  async function start(overrides: Record<string, string>): Promise<LimitNotices> {
    const config = testConfig(database.url, overrides);
    const module = await Test.createTestingModule({
      imports: [
        DatabaseModule.forRoot(config, 'test'),
        WorkModule.forRoot(config, 'test'),
        QueuesModule.forRoot(config),
        LiveModule.forRoot(config),
        SecretsModule.forRoot(config),
        MessagesModule,
        EntitlementsModule.forRoot(config),
      ],
      providers: [LimitNotices],
    }).compile();
    module.useLogger(false);
    modules.push(await module.init());
    return module.get(LimitNotices);
  }

  beforeAll(async () => {
    writeFileSync(plansFile, PLANS);
    database = await createTestDatabase();
    notices = await start({ BILLING: 'test', PLANS_FILE: plansFile, STORAGE_QUOTA_BYTES: '0' });
    other = await start({ BILLING: 'test', PLANS_FILE: plansFile });
  });
  afterAll(async () => {
    await Promise.all(modules.map((module) => module.close()));
    await database.drop();
  });

  const sql = <T = unknown[]>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);
  const count = (kind: string, key: string, part: string, change: number) =>
    sql('INSERT INTO kept_total_changes (kind, key, part, change) VALUES ($1, $2, $3, $4)', [kind, key, part, change]);
  const runs = (key: string, change: number, part = monthOf()) => count('workflow_runs', key, part, change);
  const look = async (by = [notices]) => {
    await foldTotals(database.dataSource);
    const told = await Promise.all(by.map((one) => one.look()));
    return told.reduce((sum, one) => sum + one, 0);
  };
  const mails = (userId: number) =>
    sql<{ template: string; recipient: string }[]>(
      'SELECT template, recipient FROM outgoing_messages WHERE user_id = $1 ORDER BY created_at, id',
      [userId],
    ).then((rows) => rows.map(({ template }) => template));
  const createTeam = async (size: number) => {
    const members = await Promise.all(Array.from({ length: size }, () => createUser(database.dataSource)));
    const [{ id }] = await sql<[{ id: number }]>(`INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`);
    await sql('UPDATE users SET organization_id = $1 WHERE id = ANY ($2)', [id, members]);
    const plan = modules[0]!.get(PlanCatalog).find('team');
    await sql(
      `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor)
       VALUES ($1, $2, $3, 'active', 'team', $4, 'monthly', 3, 'test')`,
      [randomUUID(), members[0], id, JSON.stringify(plan)],
    );
    return { id, members };
  };

  it('come at 80 and at 100 percent, once each, whoever looks and however often', async () => {
    const user = await createUser(database.dataSource);
    await runs(`u${user}`, 7);
    expect(await look()).toBe(0);
    await runs(`u${user}`, 1, `${monthOf()}/o99`);
    expect(await look([notices, other, notices, other])).toBe(1);
    expect(await look()).toBe(0);
    await runs(`u${user}`, 1);
    expect(await look()).toBe(0);
    await runs(`u${user}`, 5);
    expect(await look([notices, other])).toBe(1);
    await runs(`u${user}`, 50);
    expect(await look()).toBe(0);
    expect(await mails(user)).toEqual(['limit-near', 'limit-reached']);
  });

  it('tell of the higher one where both are passed at once, and of each measure by itself', async () => {
    const user = await createUser(database.dataSource);
    await runs(`u${user}`, 10);
    await count('model_tokens', `u${user}`, monthOf(), 800);
    await count('storage', String(user), 'media', 500);
    await count('storage', String(user), 'workflow', 500);
    expect(await look()).toBe(3);
    expect((await mails(user)).toSorted()).toEqual(['limit-near', 'limit-reached', 'limit-reached']);
    // What is deleted and stored again is no news this month.
    await count('storage', String(user), 'media', -500);
    expect(await look()).toBe(0);
    await count('storage', String(user), 'media', 500);
    expect(await look()).toBe(0);
    await sql(`UPDATE usage_notices SET month = '2020-01' WHERE pool = $1 AND measure = 'storage'`, [`u${user}`]);
    await count('storage', String(user), 'media', 1);
    expect(await look()).toBe(1);
    expect(await notices.forgetOld()).toBe(2);
  });

  it('of an organisation go to its owners, else to who bought the plan, and not to members', async () => {
    const { id, members } = await createTeam(3);
    await runs(`u${members[1]}`, 16, `${monthOf()}/o${id}`);
    await runs(`o${id}`, 16);
    for (const member of members) await count('storage', String(member), 'media', 600);
    expect(await look([notices, other])).toBe(2);
    expect(await mails(members[0]!)).toEqual(['limit-near', 'limit-near']);
    await sql(`UPDATE users SET organization_role = 'owner' WHERE id = ANY ($1)`, [members.slice(1)]);
    await runs(`o${id}`, 10);
    expect(await look()).toBe(2);
    expect(await mails(members[1]!)).toEqual(['limit-reached']);
    expect(await mails(members[2]!)).toEqual(['limit-reached']);
    expect(await mails(members[0]!)).toHaveLength(2);
  });

  it('say who used how much of what, in words of the reader, and for three days', async () => {
    const { id, members } = await createTeam(2);
    const [owner, alone] = [members[0]!, await createUser(database.dataSource)];
    await sql(`UPDATE users SET first_name = 'Nour', language = 'ar' WHERE id = $1`, [alone]);
    const messages = modules[0]!.get(Messages);
    const [enqueue, publish] = [jest.spyOn(messages, 'enqueue'), jest.spyOn(messages, 'publish')];
    await runs(`o${id}`, 19);
    await runs(`u${alone}`, 11);
    await count('model_tokens', `u${alone}`, monthOf(), 800);
    await count('storage', String(alone), 'media', 999);
    expect(await look()).toBe(4);
    const about = (measure: string, used: number, limit: number, percent: number) => ({
      template: percent === 100 ? 'limit-reached' : 'limit-near',
      params: { name: 'Nour', organization: '', measure, used, limit, percent, refuses: true },
      channel: 'mail',
      language: 'ar',
      userId: alone,
      to: expect.stringContaining('@'),
      usefulSeconds: 3 * 86_400,
    });
    expect(enqueue.mock.calls.map(([message]) => message)).toEqual([
      {
        ...about('workflow_runs', 19, 20, 80),
        params: { ...about('workflow_runs', 19, 20, 80).params, name: '', organization: 'Acme' },
        language: 'en',
        userId: owner,
      },
      about('model_tokens', 800, 1000, 80),
      about('storage', 999, 1000, 80),
      about('workflow_runs', 11, 10, 100),
    ]);
    const receipts = await Promise.all(enqueue.mock.results.map(({ value }) => value as unknown));
    expect(publish.mock.calls.flat()).toEqual(receipts);
    for (const spy of [enqueue, publish]) spy.mockRestore();
  });

  it('are none where there is no limit, nothing is used, or another month is over', async () => {
    const { id } = await createTeam(1);
    const alone = await createUser(database.dataSource);
    await count('model_tokens', `o${id}`, monthOf(), 1_000_000_000);
    await runs(`u${alone}`, 50, '2026-01');
    // An organisation without a plan has no pool.
    const [{ id: planless }] = await sql<[{ id: number }]>(
      `INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`,
    );
    await runs(`o${planless}`, 50);
    expect(await look()).toBe(0);
  });

  it('of a limit of nothing come with the first use', async () => {
    const { id, members } = await createTeam(1);
    await sql(
      `UPDATE subscriptions SET plan = jsonb_set(plan, '{limits,monthlyWorkflowRuns}', '0') WHERE organization_id = $1`,
      [id],
    );
    await sql(`INSERT INTO kept_totals (kind, key, part, value) VALUES ('workflow_runs', $1, $2, 0)`, [
      `o${id}`,
      monthOf(),
    ]);
    expect(await look()).toBe(0);
    await runs(`o${id}`, 1);
    expect(await look()).toBe(1);
    expect(await mails(members[0]!)).toEqual(['limit-reached']);
  });

  it('of members go to who bought the plan though they left, and of the personal pool of a member to nobody', async () => {
    const { id, members } = await createTeam(2);
    const [buyer, member] = members as [number, number];
    await sql('UPDATE users SET organization_id = NULL WHERE id = $1', [buyer]);
    // What the member used is of the pool of the organisation alone, which has used less.
    await runs(`u${member}`, 20, `${monthOf()}/o${id}`);
    await runs(`o${id}`, 15);
    expect(await look()).toBe(0);
    await runs(`o${id}`, 1);
    expect(await look()).toBe(1);
    expect([await mails(buyer), await mails(member)]).toEqual([['limit-near'], []]);
  });

  it('are looked for in all that has changed, however much that is', async () => {
    await sql(
      `INSERT INTO kept_total_changes (kind, key, part, change)
       SELECT 'workflow_runs', 'u1', '2020-01/o' || n, 1 FROM generate_series(1, 150) n`,
    );
    await look();
    await database.dataSource.transaction(async (tx) => expect(await claimChangedTotals(tx, 10)).toEqual([]));
  });

  it('of months that are over are forgotten, not those of this one or the one before', async () => {
    await sql('DELETE FROM usage_notices');
    const before = new Date();
    before.setUTCDate(0);
    await sql(
      `INSERT INTO usage_notices (pool, month, measure, threshold) SELECT 'u1', unnest($1::text[]), 'storage', 80`,
      [[monthOf(), monthOf(before), '2020-01', '2020-02']],
    );
    expect(await notices.forgetOld()).toBe(2);
  });

  it('come also where a look was cut off, and look only at what has changed', async () => {
    const user = await createUser(database.dataSource);
    await runs(`u${user}`, 9);
    const enqueue = jest.spyOn(modules[0]!.get(Messages), 'enqueue').mockRejectedValueOnce(new Error('killed'));
    await expect(look()).rejects.toThrow('killed');
    enqueue.mockRestore();
    expect(await look()).toBe(1);
    await database.dataSource.transaction(async (tx) => expect(await claimChangedTotals(tx, 10)).toEqual([]));
    await runs(`u${user}`, 1);
    await runs(`u${user}`, 1, '2026-01');
    await foldTotals(database.dataSource);
    await database.dataSource.transaction(async (tx) => {
      const claimed = await claimChangedTotals(tx, 10);
      expect(claimed.map(({ part }) => part).toSorted()).toEqual(['2026-01', monthOf()]);
    });
  });

  it('reach nobody who cannot sign in, or is gone', async () => {
    const [closed, gone] = [await createUser(database.dataSource), await createUser(database.dataSource)];
    await runs(`u${closed}`, 10);
    await count('storage', String(gone), 'media', 5000);
    await runs('u2000000000', 10);
    await sql('UPDATE users SET is_active = false WHERE id = $1', [closed]);
    await sql('DELETE FROM users WHERE id = $1', [gone]);
    expect(await look()).toBe(0);
  });

  it('where nothing is sold are of the storage of the settings alone', async () => {
    const unsold = await start({ BILLING: 'none', STORAGE_QUOTA_BYTES: '1000' });
    const unlimited = await start({ BILLING: 'none', STORAGE_QUOTA_BYTES: '0' });
    const user = await createUser(database.dataSource);
    await runs(`u${user}`, 1_000_000);
    await count('storage', String(user), 'media', 900);
    expect(await look([unlimited])).toBe(0);
    expect(await look([unsold])).toBe(1);
    expect(await mails(user)).toEqual(['limit-near']);
  });
});
