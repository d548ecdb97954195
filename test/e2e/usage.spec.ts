import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newTimeOrderedId } from '@app/common';
import { readOffering } from '../../libs/entitlements/src/plans/read-offering.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { mailsIn, type SentMail } from '../support/outbox.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

const WORKFLOW = '/microservices/workflow/';
const PLANS = `
currency: EUR
free:
  name: Free
  features: [flowapps]
  limits: { monthly_workflow_runs: 5, included_tokens: 1000, storage: 1 MiB, run_history_days: 7, live_build_sessions: 1 }
plans:
  - code: team
    name: Team
    tier: pro
    monthly_price: "79.00"
    seats: { min: 1, max: 100, adjustable: true }
    pool: organization
    features: [flowapps]
    limits: { monthly_workflow_runs: 10, included_tokens: null, storage: null, run_history_days: 7, live_build_sessions: null }
`;

interface Usage {
  owner_type: string;
  scope: string;
  month: string;
  start_date: string;
  end_date: string;
  currency: string;
  workflow_runs: { used: number; limit: number | null; own: number };
  tokens: { used: number; limit: number | null; own: number };
  storage_breakdown: Record<string, unknown>;
  totals: Record<string, number>;
  daily: ({ date: string } & Record<string, number | string>)[];
  by_model: Record<string, unknown>[];
  by_workflow: Record<string, unknown>[];
  by_person: Record<string, unknown>[] | null;
  unpriced_requests: number;
}

const usageOf = (client: HttpClient, query = '') => client.get<Usage>(`/subscriptions/usage/${query}`);
const create = async (client: HttpClient, name: string, template = 'x') => {
  const node = { id: 'only', kind: 'template', params: { template } };
  const json = { name, nodes: [node] };
  return (await client.post<{ workflow_id: string }>(`${WORKFLOW}start/`, { json })).workflow_id;
};
const run = async (client: HttpClient, id: string) => {
  await client.post(`${WORKFLOW}rerun/`, { workflow_id: id });
  await until(async () => {
    const { status } = await client.get<{ status: string }>(`${WORKFLOW}${id}/`);
    return ['COMPLETED', 'FAILED', 'STOPPED'].includes(status);
  });
};

describe('usage of pools', () => {
  let platform: HostedPlatform;
  /** Beyond a limit. */
  let often: HttpClient;
  beforeAll(async () => {
    const plansFile = join(mkdtempSync(join(tmpdir(), 'atrium-plans-')), 'plans.yaml');
    writeFileSync(plansFile, PLANS);
    platform = await hostPlatform(['api', 'indexer', 'workflow-runner'], { BILLING: 'test', PLANS_FILE: plansFile });
  });
  afterAll(() => platform.stop());

  const sql = <T = unknown[]>(text: string, values: unknown[] = []) =>
    platform.database.dataSource.query<T>(text, values);
  const signUp = () => HttpClient.signUp(platform.baseUrl);
  const idOf = async ({ username }: HttpClient) => {
    const [row] = await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [username]);
    return row.id;
  };
  /** What the ledger writes of a call. */
  const record = async (client: HttpClient, more: Record<string, unknown>) => {
    const row = {
      currency: 'USD',
      cost: null,
      cached_cost: null,
      price_source: null,
      price_version: null,
      cached_tokens: 0,
      model: 'm',
      ...more,
    };
    await sql(
      `INSERT INTO model_usage (id, user_id, organization_id, purpose, model_id, model, prompt_tokens, completion_tokens, cached_tokens,
         cost, cached_cost, currency, price_source, price_version, duration_ms, outcome, created_at)
       SELECT $1, u.id, o.id, 'chat', 1, $3, 100, 10, $4, $5, $6, $7, $8, $9, 1, 'completed', now()
       FROM users u LEFT JOIN organizations o ON o.id = u.organization_id AND NOT o.personal WHERE u.id = $2`,
      [
        newTimeOrderedId(),
        await idOf(client),
        row.model,
        row.cached_tokens,
        row.cost,
        row.cached_cost,
        row.currency,
        row.price_source,
        row.price_version,
      ],
    );
  };
  const mailsTo = async ({ username }: HttpClient, subject: RegExp, count = 1): Promise<SentMail[]> => {
    let found: SentMail[] = [];
    const look = async () => {
      found = (await mailsIn(platform.env.OUTBOX_DIR!)).filter(
        (mail) => mail.to === `${username}@test.example` && subject.test(mail.subject),
      );
      return found.length >= count;
    };
    await until(look, 90_000);
    return found;
  };

  it('counts successful runs that the runner completes, and refunds nothing', async () => {
    const client = await signUp();
    const [good, bad] = [await create(client, 'Good'), await create(client, '=Bad', '{{ 1 / }}')];
    await run(client, good);
    await run(client, good);
    await run(client, bad).catch(() => undefined);
    while ((await usageOf(client)).workflow_runs.used < 6) await run(client, good);
    often = client;
    const before = await usageOf(client);
    expect(before).toMatchObject({
      owner_type: 'none',
      scope: 'own',
      workflow_runs: { limit: 5 },
      tokens: { used: 0, limit: 1000, own: 0 },
      by_person: null,
      cost_tracking: 'on',
      currency: 'USD',
    });
    const used = before.workflow_runs.used;
    expect(before.workflow_runs.own).toBe(used);
    const [{ completed }] = await sql<[{ completed: number }]>(
      `SELECT count(*)::int AS completed FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id
       WHERE w.owner_id = $1 AND r.status = 'COMPLETED'`,
      [await idOf(client)],
    );
    expect(used).toBe(completed);
    expect(before.by_workflow).toContainEqual({
      workflow_id: good,
      name: 'Good',
      successful_runs: expect.any(Number),
      spend: 0,
    });
    await client.send('DELETE', `${WORKFLOW}${good}/`);
    await sql('DELETE FROM workflows WHERE id = $1', [good]);
    expect((await usageOf(client)).workflow_runs.used).toBe(used);
    const me = await client.get<{ info: { entitlements: Record<string, unknown> } }>('/users/me/');
    expect(me.info.entitlements.workflow_runs_used).toBe(used);
  });

  it('tells what each price came to, and adds no two currencies', async () => {
    const client = await signUp();
    const listed = { price_source: 'genai-prices', price_version: '0.1.8' };
    await record(client, { model: 'a', cost: 0.5, cached_cost: 0.1, cached_tokens: 40, ...listed });
    await record(client, { model: 'a', cost: 0.25, price_source: 'deployment', price_version: 'abc' });
    await record(client, { model: 'b', cost: 7, currency: 'EUR', ...listed });
    await record(client, { model: 'c' });
    const usage = await usageOf(client, '?days=1');
    expect(usage.totals).toEqual({
      spend: 0.75,
      prompt_tokens: 400,
      completion_tokens: 40,
      total_tokens: 440,
      requests: 4,
      cached_tokens: 40,
      cache_write_tokens: 0,
      cached_spend: 0.1,
      cache_write_spend: 0,
      unpriced_requests: 2,
    });
    expect(usage.daily).toEqual([{ date: usage.end_date, ...usage.totals }]);
    expect(usage.by_model).toMatchObject([
      { model: 'a', spend: 0.5, currency: 'USD', ...listed, cached_spend: 0.1 },
      { model: 'a', spend: 0.25, currency: 'USD', price_source: 'deployment', price_version: 'abc' },
      { model: 'b', spend: 7, currency: 'EUR' },
      { model: 'c', spend: null, currency: null, price_source: null, price_version: null },
    ]);
    expect(usage.by_model.map(({ own_key }) => own_key)).toEqual([false, false, false, false]);
    expect(usage.unpriced_requests).toBe(2);
    expect(usage.tokens).toEqual({ used: 440, limit: 1000, own: 440 });
    const costs = await client.get<Usage>(`/microservices/cost-tracker/users/${client.username}/costs?days=1`);
    expect(costs).toMatchObject({ currency: 'USD', totals: { spend: 0.75 }, unpriced_requests: 2 });
    expect(costs.by_model).toEqual([
      { model: 'a', spend: 0.75, total_tokens: 220, requests: 2 },
      { model: 'b', spend: 0, total_tokens: 110, requests: 1 },
      { model: 'c', spend: 0, total_tokens: 110, requests: 1 },
    ]);
  });

  it('shows an organisation to its owners by person, and to members their own part', async () => {
    const [owner, member, leaver] = [await signUp(), await signUp(), await signUp()];
    const [{ id: organization }] = await sql<[{ id: number }]>(
      `INSERT INTO organizations (name) VALUES ('Acme') RETURNING id`,
    );
    const ids = await Promise.all([owner, member, leaver].map(idOf));
    await sql('UPDATE users SET organization_id = $1 WHERE id = ANY ($2)', [organization, ids]);
    await sql(`UPDATE users SET organization_role = 'owner' WHERE id = $1`, [ids[0]]);
    await sql(
      `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor)
       VALUES ($1, $2, $3, 'active', 'team', $4, 'monthly', 3, 'test')`,
      [randomUUID(), ids[0], organization, JSON.stringify(readOffering(PLANS).plans[0])],
    );
    await run(member, await create(member, 'Theirs'));
    await run(leaver, await create(leaver, 'Left'));
    await record(member, { cost: 0.5 });
    await record(leaver, { cost: 0.25 });
    await sql('UPDATE users SET organization_id = NULL WHERE id = $1', [ids[2]]);
    await run(leaver, await create(leaver, 'After'));

    const all = await usageOf(owner);
    expect(all).toMatchObject({
      owner_type: 'organization',
      scope: 'organization',
      totals: { spend: 0.75, requests: 2 },
    });
    expect(all.workflow_runs).toMatchObject({ limit: 10, own: 0 });
    const [theirs, nobodys] = [await usageOf(member), await usageOf(leaver)];
    expect(theirs).toMatchObject({ scope: 'own', by_person: null, totals: { spend: 0.5 }, owner_type: 'organization' });
    expect(theirs.workflow_runs).toEqual({ ...all.workflow_runs, own: theirs.workflow_runs.own });
    expect(nobodys).toMatchObject({ owner_type: 'none', totals: { spend: 0.25 }, workflow_runs: { limit: 5 } });
    expect(all.by_person).toMatchObject([
      { user_id: ids[1], username: member.username, spend: 0.5, tokens: 110, workflow_runs: theirs.workflow_runs.own },
      { user_id: ids[0], workflow_runs: 0, tokens: 0 },
      { user_id: null, username: '', spend: 0.25, tokens: 110 },
    ]);
    const runs = all.by_person!.reduce((sum, { workflow_runs: one }) => sum + (one as number), 0);
    expect(runs).toBe(all.workflow_runs.used);
  });

  it('is also a table that no spreadsheet takes for formulas', async () => {
    const client = await signUp();
    await run(client, await create(client, '=HYPERLINK("http://x.example","a")'));
    const answer = await client.send('GET', '/subscriptions/usage/?format=csv&days=2');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="?usage-[\d-]+\.csv/);
    const lines = (await answer.text()).split('\r\n');
    expect(lines[0]).toMatch(/^section,name,id,/);
    expect(lines.filter((line) => line.startsWith('day,'))).toHaveLength(2);
    expect(lines.find((line) => line.startsWith('workflow,'))).toContain(`"'=HYPERLINK(""http://x.example"",""a"")"`);
  });

  it('takes months that are kept, and nothing odd', async () => {
    const client = await signUp();
    const month = new Date().toISOString().slice(0, 7);
    const usage = await usageOf(client, `?month=${month}`);
    expect(usage).toMatchObject({ month, start_date: `${month}-01` });
    for (const query of [
      'days=0',
      'days=91',
      'days=x',
      'month=2026-13',
      'month=2999-01',
      'month=2020-01',
      'format=xml',
      'month[]=1',
    ])
      expect([query, (await client.send('GET', `/subscriptions/usage/?${query}`)).status]).toEqual([query, 400]);
    expect((await fetch(`${platform.baseUrl}/subscriptions/usage/`)).status).toBe(401);
  });

  inAll('is told of by mail at a limit, by a runner that looks by itself', async () => {
    const [mail] = await mailsTo(often, /workflow runs in Atrium has reached/);
    expect(mail!.text).toContain('6 of 5 of workflow runs');
  });
});
