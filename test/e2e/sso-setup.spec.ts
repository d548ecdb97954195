import { Resolver } from 'node:dns/promises';
import { type Answer, postJson, startApi, type TestApi } from '../support/api.js';
import { Browser } from '../support/browser.js';
import { type DnsServer, startDns } from '../support/dns.js';
import { stopwatch } from '../support/timing.js';

const given = { domain: 'acme.example', client_id: 'client-1', client_secret: 'a-s3cret-of-acme' };

const setUpAt = (api: TestApi, body: object): Promise<Answer> =>
  postJson(`${api.baseUrl}/api/v1/auth/sso_org/setup-credentials/`, body);

describe("setting an organisation's single sign-on up", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ EMAIL_VERIFICATION: 'true' });
  });
  afterAll(() => api?.stop());
  const setUp = (body: object) => setUpAt(api, body);

  it('keeps the first of many at once, and never overwrites it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        setUp({ ...given, client_id: `client-${n}`, organization_name: `Acme ${n}` }),
      ),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(
      answers.filter(
        ({ status, body }) => status === 409 && (body as { code: string }).code === 'credentials_already_configured',
      ),
    ).toHaveLength(19);
    const rows = await api.database.dataSource.query<{ client_id: string; name: string; row: string }[]>(
      `SELECT s.client_id, o.name, s::text AS row FROM organization_sso s JOIN organizations o ON o.id = s.organization_id`,
    );
    expect(rows).toHaveLength(1);
    const [{ client_id, name, row }] = rows as [(typeof rows)[number]];
    expect(winners[0]!.body).toEqual({ message: expect.any(String), domain: 'acme.example', organization_name: name });
    expect(name).toBe(`Acme ${client_id.slice('client-'.length)}`);
    for (const form of [given.client_secret, Buffer.from(given.client_secret).toString('hex')])
      expect(row).not.toContain(form);
    expect((await setUp({ ...given, domain: 'ACME.example.' })).status).toBe(409);
    const audited = await api.database.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM (SELECT event->>'action' AS action FROM audit_inbox UNION ALL SELECT action FROM audit_events) e WHERE action = 'sso.configured'`,
    );
    expect(audited).toEqual([{ count: 1 }]);
  });

  it('names an organisation after its domain, and lets a known one keep its name', async () => {
    expect(await setUp({ ...given, domain: 'someone@blue-hill.example' })).toMatchObject({
      status: 200,
      body: { domain: 'blue-hill.example', organization_name: 'Blue Hill' },
    });
    await api.database.dataSource.query(`INSERT INTO organizations (name, domain) VALUES ('Known', 'known.example')`);
    expect(await setUp({ ...given, domain: 'known.example', organization_name: 'Other' })).toMatchObject({
      body: { organization_name: 'Known' },
    });
  });

  it('says what is wrong, and takes no domain where everybody has an address', async () => {
    for (const missing of ['domain', 'client_id', 'client_secret'])
      expect(await setUp({ ...given, [missing]: undefined })).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining(missing), code: 'invalid' },
      });
    for (const domain of ['nonsense', '127.0.0.1', 'a b.example', '-.example', 'x'.repeat(250) + '.example'])
      expect(await setUp({ ...given, domain })).toMatchObject({ status: 400, body: { code: 'invalid_domain' } });
    for (const domain of ['gmail.com', 'me@Outlook.com'])
      expect(await setUp({ ...given, domain })).toMatchObject({ status: 400, body: { code: 'public_mail_domain' } });
  });

  it('answers 503 while the deployment names no issuer', async () => {
    const unset = { status: 503, body: { detail: expect.any(String), code: 'sso_not_configured' } };
    const browser = new Browser(api.baseUrl);
    expect(await browser.get('/api/v1/auth/sso_org/authorize/?domain=acme.example')).toMatchObject(unset);
    expect(await browser.get('/api/v1/auth/sso_platform/authorize/')).toMatchObject(unset);
  });
});

describe('setting it up where domains must be proved', () => {
  let api: TestApi;
  let dns: DnsServer;
  beforeAll(async () => {
    dns = await startDns();
    api = await startApi({ DEPLOYMENT: 'hosted' });
    api.app.get(Resolver, { strict: false }).setServers([dns.address]);
  });
  afterAll(async () => {
    await api?.stop();
    await dns?.stop();
  });

  const record = { name: '_atrium-challenge.acme.example', type: 'TXT', value: 'atrium-client=client-1' };
  const refused = { status: 403, body: { code: 'domain_not_verified', dns_record: record } };
  const organizations = () =>
    api.database.dataSource.query('SELECT domain, domain_verified FROM organizations ORDER BY id');

  it('names the record that is missing, wrong, or cannot be looked up in time, and keeps nothing', async () => {
    const answer = await setUpAt(api, given);
    expect(answer).toMatchObject(refused);
    expect((answer.body as { detail: string }).detail).toContain(`${record.name} TXT "${record.value}"`);
    dns.records.set(record.name, 'atrium-client=client-2');
    expect(await setUpAt(api, given)).toMatchObject(refused);
    dns.silent = true;
    const took = stopwatch();
    expect(await setUpAt(api, given)).toMatchObject(refused);
    expect(took()).toBeLessThan(5000);
    dns.silent = false;
    expect(await organizations()).toEqual([]);
  });

  it('takes the record for a proof, and needs none where the domain is proved', async () => {
    dns.records.set(record.name, record.value);
    expect((await setUpAt(api, given)).status).toBe(200);
    await api.database.dataSource.query(
      `INSERT INTO organizations (name, domain, domain_verified) VALUES ('Known', 'known.example', true)`,
    );
    expect((await setUpAt(api, { ...given, domain: 'known.example' })).status).toBe(200);
    expect(await organizations()).toEqual([
      { domain: 'acme.example', domain_verified: true },
      { domain: 'known.example', domain_verified: true },
    ]);
  });
});
