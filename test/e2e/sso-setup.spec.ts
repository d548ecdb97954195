import { Resolver } from 'node:dns/promises';
import { parseDomain } from '@app/auth';
import { hashToken } from '../../libs/common/src/token.js';
import { type Answer, postJson, startApi, type TestApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import { Browser } from '../support/browser.js';
import { type DnsServer, startDns } from '../support/dns.js';
import { setupToken } from '../support/sso-setup-token.js';
import { stopwatch } from '../support/timing.js';

const given = { domain: 'acme.example', client_id: 'client-1', client_secret: 'a-s3cret-of-acme' };

const setUpAt = (api: TestApi, body: object): Promise<Answer> =>
  postJson(`${api.baseUrl}/api/v1/auth/sso_org/setup-credentials/`, body);

/** The record that is asked for. */
async function challenged(at: TestApi, body: object = given): Promise<{ name: string; value: string }> {
  const answer = await setUpAt(at, body);
  expect(answer).toMatchObject({ status: 403, body: { code: 'domain_not_verified' } });
  return (answer.body as { dns_record: { name: string; value: string } }).dns_record;
}

describe("setting an organisation's single sign-on up", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api?.stop());
  /** With a token that is good for the domain. */
  const setUp = async (body: { domain?: string; [field: string]: unknown }) => {
    const domain = parseDomain(body.domain ?? '') ?? 'no.example';
    return setUpAt(api, { setup_token: await setupToken(api, domain), ...body });
  };

  it('is for staff in person, and for who has a token for this very domain', async () => {
    const asked = { ...given, domain: 'mine.example' };
    const [stranger, staff] = [await api.signUp(), await api.signUp()];
    const sql = (query: string, values: unknown[]) => api.database.dataSource.query(query, values);
    await sql('UPDATE users SET is_staff = true WHERE username = $1', [staff.username]);
    const narrow = await staff.post<{ token: string }>('/users/api-tokens/', { name: 'x', scopes: ['documents:read'] });
    const required = { status: 403, body: { code: 'setup_token_required', detail: expect.stringContaining('token') } };
    const send = (body: object, token?: string) =>
      postJson(
        `${api.baseUrl}/api/v1/auth/sso_org/setup-credentials/`,
        body,
        token ? { authorization: `Token ${token}` } : {},
      );
    for (const token of [undefined, stranger.token, narrow.token, 'nonsense'])
      expect(await send(asked, token)).toMatchObject(required);
    const expired = await setupToken(api, 'mine.example', -1);
    const digest = hashToken(await setupToken(api, 'mine.example')).toString('hex');
    for (const setup_token of [await setupToken(api, 'other.example'), expired, digest, 'sso_x', "' OR true --"])
      expect(await send({ ...asked, setup_token })).toMatchObject({
        status: 403,
        body: { code: 'invalid_setup_token' },
      });
    expect(await sql('SELECT FROM organizations WHERE domain = $1', ['mine.example'])).toEqual([]);
    expect((await send(asked, staff.token)).status).toBe(200);
    expect(await sql('SELECT domain_verified FROM organizations WHERE domain = $1', ['mine.example'])).toEqual([
      { domain_verified: true },
    ]);
  });

  it('lets a token be used once, however many use it at once, and none for nothing', async () => {
    const token = await setupToken(api, 'once.example');
    const asked = { ...given, domain: 'once.example', setup_token: token };
    const answers = await Promise.all(Array.from({ length: 12 }, () => setUpAt(api, asked)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await api.database.dataSource.query('DELETE FROM organization_sso');
    expect(await setUpAt(api, asked)).toMatchObject({ status: 403, body: { code: 'invalid_setup_token' } });
  });

  const configurations = async (): Promise<number> =>
    (await auditedActions(api.database.dataSource)).filter((action) => action === 'sso.configured').length;

  it('keeps the first of many at once, and never overwrites it', async () => {
    const before = await configurations();
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
      `SELECT s.client_id, o.name, s::text AS row FROM organization_sso s JOIN organizations o ON o.id = s.organization_id
       WHERE o.domain = 'acme.example'`,
    );
    expect(rows).toHaveLength(1);
    const [{ client_id, name, row }] = rows as [(typeof rows)[number]];
    expect(winners[0]!.body).toEqual({ message: expect.any(String), domain: 'acme.example', organization_name: name });
    expect(name).toBe(`Acme ${client_id.slice('client-'.length)}`);
    for (const form of [given.client_secret, Buffer.from(given.client_secret).toString('hex')])
      expect(row).not.toContain(form);
    expect((await setUp({ ...given, domain: 'ACME.example.' })).status).toBe(409);
    expect(await configurations()).toBe(before + 1);
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
    // It stands in mails.
    for (const organization_name of ['https://evil.example', 'Acme\nPay here'])
      expect(await setUp({ ...given, domain: 'honest.example', organization_name })).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining('organization_name') },
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

  const name = '_atrium-challenge.acme.example';
  const refused = { status: 403, body: { code: 'domain_not_verified', dns_record: { name, type: 'TXT' } } };
  const organizations = () =>
    api.database.dataSource.query('SELECT domain, domain_verified FROM organizations ORDER BY id');
  it('names the record that is missing, wrong, or cannot be looked up in time, and keeps nothing', async () => {
    const answer = await setUpAt(api, given);
    expect(answer).toMatchObject(refused);
    const record = await challenged(api);
    expect((answer.body as { detail: string }).detail).toContain(`${name} TXT "${record.value}"`);
    for (const wrong of ['atrium-client=client-1', `${record.value}x`, record.value.slice(0, -1)]) {
      dns.records.set(name, wrong);
      expect(await setUpAt(api, given)).toMatchObject(refused);
    }
    dns.silent = true;
    const took = stopwatch();
    expect(await setUpAt(api, given)).toMatchObject(refused);
    expect(took()).toBeLessThan(5000);
    dns.silent = false;
    expect(await organizations()).toEqual([]);
  });

  it('takes a proof for these credentials alone, once, at this deployment', async () => {
    const record = await challenged(api);
    dns.records.set(name, record.value);
    // Everybody can read the record.
    for (const other of [{ client_secret: 'of a stranger' }, { client_id: 'client-2' }])
      expect((await challenged(api, { ...given, ...other })).value).not.toBe(record.value);
    const elsewhere = await startApi({ DEPLOYMENT: 'hosted' });
    try {
      elsewhere.app.get(Resolver, { strict: false }).setServers([dns.address]);
      expect((await challenged(elsewhere)).value).not.toBe(record.value);
    } finally {
      await elsewhere.stop();
    }
    const copy = await api.startReplica({ PUBLIC_URL: 'https://copy.example' });
    try {
      copy.app.get(Resolver, { strict: false }).setServers([dns.address]);
      expect((await challenged(copy)).value).not.toBe(record.value);
    } finally {
      await copy.app.close();
    }
    const answers = await Promise.all(Array.from({ length: 6 }, () => setUpAt(api, given)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await organizations()).toEqual([{ domain: 'acme.example', domain_verified: true }]);
    // The tenant leaves, its record stays: it proves nothing for the next one, nor that the domain is proved.
    await api.database.dataSource.query('DELETE FROM organization_sso');
    expect((await challenged(api)).value).not.toBe(record.value);
    const token = await setupToken(api, 'acme.example');
    expect((await setUpAt(api, { ...given, setup_token: token })).status).toBe(200);
  });
});
