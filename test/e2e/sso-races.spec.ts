import { SsoAccounts, type SsoClient } from '@app/auth';
import { startApi, type TestApi } from '../support/api.js';
import { Browser } from '../support/browser.js';
import { type Issuer, startIssuer } from '../support/oidc.js';
import { setupToken } from '../support/sso-setup-token.js';
import { inAll } from '../support/long.js';

const CALLBACK = '/api/v1/auth/sso_org/callback/';
const redirectUri = 'http://web.test/auth/sso_org/callback';
const credentials = { client_id: 'acme', client_secret: 'acme-s3cret' };

describe('newcomers of an organisation who come at once', () => {
  let api: TestApi;
  let issuer: Issuer;
  beforeAll(async () => {
    issuer = await startIssuer([{ clientId: 'acme', clientSecret: 'acme-s3cret', redirectUri }]);
    api = await startApi({
      SSO_ALLOW_HTTP: 'true',
      SSO_ORG_ISSUER: issuer.url,
      CORS_ORIGINS: 'http://web.test',
      REGISTRATION: 'sso_only',
      EMAIL_VERIFICATION: 'true',
    });
  });
  afterAll(async () => {
    await api?.stop();
    await issuer?.stop();
  });

  const sql = <T>(query: string, values: unknown[] = []) => api.database.dataSource.query<T[]>(query, values);
  async function organization(domain: string, seats: number | null): Promise<number> {
    const given = { domain, ...credentials, setup_token: await setupToken(api, domain) };
    await new Browser(api.baseUrl).post('/api/v1/auth/sso_org/setup-credentials/', given);
    const [[row]] = await api.database.dataSource.query<[[{ id: number }], number]>(
      'UPDATE organizations SET seat_limit = $2 WHERE domain = $1 RETURNING id',
      [domain, seats],
    );
    return row.id;
  }
  const membersOf = async (id: number) =>
    (await sql<{ username: string }>('SELECT username FROM users WHERE organization_id = $1 ORDER BY id', [id])).length;

  /** A browser with a code in hand. */
  async function arrived(domain: string, person: string) {
    const browser = new Browser(api.baseUrl);
    const back = await browser.goAndReturn(`/api/v1/auth/sso_org/authorize/?domain=${domain}`, person);
    return { finish: () => browser.post(CALLBACK, back) };
  }
  function people(domain: string, count: number): string[] {
    return Array.from({ length: count }, (_, n) => {
      const name = `${domain}-${n}`;
      issuer.people.set(name, { sub: name, email: `p${n}@${domain}`, email_verified: true });
      return name;
    });
  }

  it('gives the last seat to one of them, and tells the others', async () => {
    const id = await organization('small.example', 1);
    const waiting = await Promise.all(people('small.example', 20).map((person) => arrived('small.example', person)));
    const answers = await Promise.all(waiting.map(({ finish }) => finish()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(
      answers.filter(({ status, body }) => status === 403 && (body as { code: string }).code === 'no_free_seats'),
    ).toHaveLength(19);
    expect(await membersOf(id)).toBe(1);
  });

  it('makes one account of one person who comes twice, even for the last seat', async () => {
    for (const [domain, seats] of [
      ['twice.example', null],
      ['twice-full.example', 1],
    ] as const) {
      const id = await organization(domain, seats);
      const [person] = people(domain, 1) as [string];
      const waiting = await Promise.all(Array.from({ length: 10 }, () => arrived(domain, person)));
      const answers = await Promise.all(waiting.map(({ finish }) => finish()));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(new Set(answers.map(({ body }) => (body as { user: { id: number } }).user.id)).size).toBe(1);
      expect(await membersOf(id)).toBe(1);
    }
  });

  inAll('has one winner in 500 tries at the last seat', async () => {
    const id = await organization('crowd.example', 1);
    const client: SsoClient = {
      provider: 'sso_org',
      issuer: issuer.url,
      clientId: 'acme',
      clientSecret: '',
      redirectUri,
      organization: { id, name: 'Crowd', domain: 'crowd.example', domainTrusted: true },
    };
    const accounts = api.app.get(SsoAccounts, { strict: false });
    const arrive = (n: number) =>
      accounts.resolve(client, {
        issuer: issuer.url,
        subject: `crowd-${n}`,
        email: `p.${n}@crowd.example`,
        emailVerified: true,
        firstName: '',
        lastName: '',
      });
    // No more at once than a busy machine can give connections to before their time is up.
    const tries: PromiseSettledResult<unknown>[] = [];
    for (let from = 0; from < 500; from += 50)
      tries.push(...(await Promise.allSettled(Array.from({ length: 50 }, (_, n) => arrive(from + n)))));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(
      tries.filter((one) => one.status === 'rejected' && (one.reason as { code: string }).code === 'no_free_seats'),
    ).toHaveLength(499);
    expect(await membersOf(id)).toBe(1);
  });

  it('gives 20 newcomers with the same local part names of their own', async () => {
    const accounts = api.app.get(SsoAccounts, { strict: false });
    const client: SsoClient = {
      provider: 'sso_platform',
      issuer: issuer.url,
      clientId: 'all',
      clientSecret: '',
      redirectUri,
      organization: null,
    };
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        accounts.resolve(client, {
          issuer: issuer.url,
          subject: `same-name-${n}`,
          email: `same@host-${n}.example`,
          emailVerified: true,
          firstName: '',
          lastName: '',
        }),
      ),
    );
    expect(new Set(ids).size).toBe(20);
  });
});
