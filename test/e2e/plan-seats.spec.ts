import { randomUUID } from 'node:crypto';
import { setPlanSeats } from '@app/auth';
import { HostedAdmin } from '../support/admin.js';
import { startApi, type TestApi } from '../support/api.js';
import { Browser } from '../support/browser.js';
import { testEnv } from '../support/config.js';
import { type Issuer, startIssuer } from '../support/oidc.js';
import { Directory } from '../support/scim.js';
import { setupToken } from '../support/sso-setup-token.js';

const redirectUri = 'http://web.test/auth/sso_org/callback';
const JOINS = 50;

/** Seats that a subscription pays for (`setPlanSeats`), beside the limit of operators, over every way into an organisation. */
describe('the seats of a plan', () => {
  let api: TestApi;
  let issuer: Issuer;
  let admin: HostedAdmin;
  beforeAll(async () => {
    issuer = await startIssuer([{ clientId: 'acme', clientSecret: 'acme-s3cret', redirectUri }]);
    api = await startApi({ SSO_ALLOW_HTTP: 'true', SSO_ORG_ISSUER: issuer.url, CORS_ORIGINS: 'http://web.test' });
    const { redis, secrets } = api.config;
    admin = new HostedAdmin(testEnv(api.database.url, { REDIS_KEY_PREFIX: redis.keyPrefix, SECRETS_KEY: secrets.key }));
  });
  afterAll(async () => {
    await admin?.stop();
    await api?.stop();
    await issuer?.stop();
  });

  const sql = <T>(query: string, values: unknown[] = []) => api.database.dataSource.query<T>(query, values);
  const activeIn = async (id: number) => {
    const [{ active }] = await sql<[{ active: number }]>(
      'SELECT count(*)::int AS active FROM users WHERE organization_id = $1 AND is_active',
      [id],
    );
    return active;
  };
  /** An organisation with a domain, single sign-on and a directory. */
  async function organization(seats: number | null): Promise<{ id: number; domain: string; directory: Directory }> {
    const domain = `d${randomUUID().slice(0, 8)}.example`;
    const directory = await Directory.open(api, { domain, domainVerified: true });
    const given = { domain, client_id: 'acme', client_secret: 'acme-s3cret' };
    const body = { ...given, setup_token: await setupToken(api, domain) };
    expect((await new Browser(api.baseUrl).post('/api/v1/auth/sso_org/setup-credentials/', body)).status).toBe(200);
    await buy(directory.organizationId, seats);
    return { id: directory.organizationId, domain, directory };
  }
  const buy = (id: number, seats: number | null) =>
    api.database.dataSource.transaction((tx) => setPlanSeats(tx, id, seats));

  async function arrived(domain: string, name: string) {
    issuer.people.set(name, { sub: name, email: `${name}@${domain}`, email_verified: true });
    const browser = new Browser(api.baseUrl);
    const back = await browser.goAndReturn(`/api/v1/auth/sso_org/authorize/?domain=${domain}`, name);
    return () => browser.post('/api/v1/auth/sso_org/callback/', back);
  }
  const register = (domain: string, name: string) =>
    new Browser(api.baseUrl).post('/api/v1/users/', {
      username: name,
      email: `${name}@${domain}`,
      password: 'kite-over-hill-9',
    });

  const enable = async (user: number) => (await admin.run(['users', 'enable', String(user)])).code;

  it(`go to one of ${JOINS} who come at once, by single sign-on, directory and registration`, async () => {
    const { id, domain, directory } = await organization(1);
    const prefix = domain.slice(0, 9);
    const finishing = await Promise.all(
      Array.from({ length: JOINS / 2 - 5 }, (_, n) => arrived(domain, `${prefix}s${n}`)),
    );
    const answers = await Promise.all([
      ...finishing.map((finish) => finish()),
      ...Array.from({ length: 20 }, (_, n) => directory.call('POST', '/Users', directory.person(`${prefix}d${n}`))),
      ...Array.from({ length: 10 }, (_, n) => register(domain, `${prefix}r${n}`)),
    ]);
    expect(answers).toHaveLength(JOINS);
    expect(await activeIn(id)).toBe(1);
    // Whoever registers and finds it full is on their own; the others are told.
    expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 403].includes(status))).toEqual([]);
  });

  it('are the smaller of what was paid for and what operators say', async () => {
    const { id, directory } = await organization(3);
    await sql('UPDATE organizations SET seat_limit = 2 WHERE id = $1', [id]);
    const provision = async (name: string) =>
      (await directory.call('POST', '/Users', directory.person(`${name}${id}`))).status;
    expect([await provision('a'), await provision('b'), await provision('c')]).toEqual([201, 201, 403]);
    await sql('UPDATE organizations SET seat_limit = NULL WHERE id = $1', [id]);
    expect([await provision('c'), await provision('d')]).toEqual([201, 403]);
    // Fewer than there are: they stay, and nobody else comes in.
    await buy(id, 1);
    expect([await activeIn(id), await provision('d')]).toEqual([3, 403]);
    await buy(id, null);
    expect(await provision('d')).toBe(201);
  });

  it('hold for those who are activated again, by their directory or by operators', async () => {
    const { id, directory } = await organization(1);
    const first = await directory.provision(`first${id}`, { active: false });
    const second = await directory.provision(`second${id}`, { active: false });
    const activate = async (user: number) =>
      (await directory.patch(`/Users/${user}`, { op: 'replace', path: 'active', value: true })).status;
    expect([await activate(first), await activate(second), await enable(second)]).toEqual([200, 403, 1]);
    // Whoever is in already takes no second seat.
    expect([await enable(first), await activeIn(id)]).toEqual([0, 1]);
    await sql('UPDATE users SET is_active = false WHERE id = $1', [first]);
    const both = await Promise.all([enable(first), enable(second), activate(first), activate(second)]);
    expect([both.filter((code) => code === 0).length <= 1, await activeIn(id)]).toEqual([true, 1]);
  });
});
