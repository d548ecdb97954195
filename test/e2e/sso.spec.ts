import { type Answer, startApi, type TestApi } from '../support/api.js';
import { Browser } from '../support/browser.js';
import { HttpClient } from '../support/http-client.js';
import { type Issuer, startIssuer } from '../support/oidc.js';
import { SealingService } from '@app/secrets';

type Row = Record<string, unknown>;
interface SignedIn {
  auth_token: string;
  id_token: string;
  encryption_key?: string;
  user: { id: number; email: string; organization: string; username: string; auth_methods: Row };
}

const ORG = '/api/v1/auth/sso_org';
const PLATFORM = '/api/v1/auth/sso_platform';
const SECRETS = { acme: 'acme-s3cret-0123456789', blue: 'blue-s3cret-0123456789', all: 'all-s3cret-0123456789' };
const redirectUri = (provider: string) => `http://web.test/auth/${provider}/callback`;

describe('single sign-on with two issuers that use the same subjects', () => {
  let api: TestApi;
  /** Of Acme's organisation. */
  let first: Issuer;
  /** Of Blue Hill's organisation, and of the platform. */
  let second: Issuer;
  let people = 0;

  const sql = <T extends Row>(query: string, values: unknown[] = []) =>
    api.database.dataSource.query<T[]>(query, values);
  const browser = () => new Browser(api.baseUrl);
  const authorizeAt = (provider: string, domain = 'acme.example') =>
    provider === ORG ? `${ORG}/authorize/?domain=${domain}` : `${PLATFORM}/authorize/`;

  /** Somebody whom an issuer knows by a new name; subjects are the same at both. */
  function person(
    issuer: Issuer,
    domain: string,
    claims: Partial<Parameters<typeof issuer.people.set>[1]> = {},
  ): string {
    const name = `p${(people += 1)}`;
    issuer.people.set(name, { sub: `subject-${name}`, email: `${name}@${domain}`, email_verified: true, ...claims });
    return name;
  }
  async function signIn(provider: string, who: string, domain?: string): Promise<Answer> {
    const at = browser();
    return at.post(`${provider}/callback/`, await at.goAndReturn(authorizeAt(provider, domain), who));
  }
  async function signedIn(provider: string, who: string, domain?: string): Promise<SignedIn> {
    const answer = await signIn(provider, who, domain);
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as SignedIn;
  }
  /** An account with a password, whose address is confirmed unless told. */
  async function register(email: string, confirmed = true): Promise<HttpClient> {
    const client = await HttpClient.signUp(api.baseUrl);
    await sql('UPDATE users SET email = $2, email_verified = $3 WHERE username = $1', [
      client.username,
      email,
      confirmed,
    ]);
    return client;
  }
  const idOf = async (client: HttpClient) => (await client.get<{ info: { id: number } }>('/users/me/')).info.id;
  const configure = (domain: string, clientId: string, clientSecret: string, more: Row = {}) =>
    browser().post(`${ORG}/setup-credentials/`, { domain, client_id: clientId, client_secret: clientSecret, ...more });

  beforeAll(async () => {
    const callback = redirectUri('sso_org');
    first = await startIssuer([{ clientId: 'acme', clientSecret: SECRETS.acme, redirectUri: callback }]);
    second = await startIssuer([
      { clientId: 'blue', clientSecret: SECRETS.blue, redirectUri: callback, auth: 'client_secret_basic' },
      {
        clientId: 'all',
        clientSecret: SECRETS.all,
        redirectUri: redirectUri('sso_platform'),
        auth: 'client_secret_basic',
      },
    ]);
    api = await startApi({
      SSO_ALLOW_HTTP: 'true',
      SSO_ORG_ISSUER: first.url,
      SSO_PLATFORM_ISSUER: second.url,
      SSO_PLATFORM_CLIENT_ID: 'all',
      SSO_PLATFORM_CLIENT_SECRET: SECRETS.all,
      CORS_ORIGINS: 'http://web.test',
      SSO_REDIRECT_PATHS: '/,/boards/*',
    });
    await configure('acme.example', 'acme', SECRETS.acme, { organization_name: 'Acme Ltd' });
    await configure('blue-hill.example', 'blue', SECRETS.blue);
    await sql(`UPDATE organization_sso SET issuer = $1 WHERE client_id = 'blue'`, [second.url]);
  }, 30_000);
  afterAll(async () => {
    await api?.stop();
    await first?.stop();
    await second?.stop();
  });

  describe('authorize', () => {
    it('asks the provider with PKCE, nonce and a state, for a domain or a whole address', async () => {
      const at = browser();
      const answer = await at.get(`${ORG}/authorize/?domain=Ada@ACME.example`);
      const { auth_url, state } = answer.body as { auth_url: string; state: string };
      const url = new URL(auth_url);
      expect(url.origin).toBe(first.url);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        client_id: 'acme',
        response_type: 'code',
        redirect_uri: redirectUri('sso_org'),
        scope: 'openid email profile',
        state,
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
        login_hint: 'Ada@ACME.example',
      });
      const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('sso_flow='))!;
      expect(
        cookie
          .split('; ')
          .slice(1)
          .filter((part) => !part.startsWith('Expires=')),
      ).toEqual(['Max-Age=600', 'Path=/api/v1/auth/', 'HttpOnly', 'Secure', 'SameSite=None']);
      const stored = JSON.stringify(await sql('SELECT f::text FROM sso_flows f'));
      for (const secret of [state, url.searchParams.get('nonce')!, at.cookie('sso_flow')!])
        for (const form of [secret, Buffer.from(secret).toString('hex')]) expect(stored).not.toContain(form);
      const platform = await browser().begin(`${PLATFORM}/authorize/`);
      expect(new URL(platform.authUrl).searchParams.get('prompt')).toBe('select_account');
    });

    it('names what is missing', async () => {
      expect(await browser().get(`${ORG}/authorize/`)).toMatchObject({
        status: 400,
        body: { detail: expect.any(String) },
      });
      expect(await browser().get(`${ORG}/authorize/?domain=nonsense`)).toMatchObject({ status: 400 });
      expect(await browser().get(`${ORG}/authorize/?domain=ada@unknown.example`)).toEqual(
        expect.objectContaining({
          status: 404,
          body: {
            detail: expect.any(String),
            code: 'credentials_not_found',
            need_credentials: true,
            domain: 'unknown.example',
          },
        }),
      );
    });

    it('leads on to listed paths of the web app only, and hands them back', async () => {
      const at = browser();
      const who = person(second, 'elsewhere.example');
      const back = await at.goAndReturn(`${PLATFORM}/authorize/?redirect_path=/boards/7?tab=2`, who);
      expect(await at.post(`${PLATFORM}/callback/`, back)).toMatchObject({
        body: { redirect_path: '/boards/7?tab=2' },
      });
      for (const path of [
        '//evil.example',
        '/\\evil.example',
        'https://evil.example',
        '/boards/../admin',
        '/x',
        'boards/1',
      ])
        expect(await at.get(`${PLATFORM}/authorize/?redirect_path=${encodeURIComponent(path)}`)).toMatchObject({
          status: 400,
          body: { code: 'invalid_redirect_path' },
        });
    });
  });

  describe('callback', () => {
    it('makes the account in the organisation, then finds it again by its subject alone', async () => {
      const who = person(first, 'acme.example', { given_name: 'Ada', family_name: 'Love' });
      const at = browser();
      const answer = await at.post(`${ORG}/callback/`, await at.goAndReturn(authorizeAt(ORG), who));
      expect(answer.body).toEqual({
        auth_token: expect.any(String),
        expires_in: 86_400,
        id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        user: expect.objectContaining({
          first_name: 'Ada',
          last_name: 'Love',
          username: who,
          email: `${who}@acme.example`,
          organization: 'Acme Ltd',
          verified: true,
          email_verified: true,
          is_sso: true,
          roles: ['General'],
          auth_methods: { password: false, passkey: false, sso_org: true, sso_platform: false },
        }),
      });
      expect(at.cookie('refresh_token')).toMatch(/^[\w-]{43}$/);
      const { user, id_token } = answer.body as SignedIn;
      first.people.set(who, { sub: `subject-${who}`, email: `renamed-${who}@acme.example`, email_verified: true });
      expect((await signedIn(ORG, who)).user).toMatchObject({ id: user.id, email: `${who}@acme.example` });
      const actions = await sql(
        `SELECT event->>'action' AS action FROM audit_inbox WHERE (event->>'subjectId')::int = $1
                                 UNION ALL SELECT action FROM audit_events WHERE subject_id = $1`,
        [user.id],
      );
      expect(actions.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['account.provisioned', 'session.begun']),
      );
      const dump = JSON.stringify(
        await Promise.all(
          ['audit_inbox', 'sso_identities', 'organization_sso', 'sso_flows'].map((t) =>
            sql(`SELECT t::text FROM ${t} t`),
          ),
        ),
      );
      for (const secret of [id_token, SECRETS.acme, Buffer.from(SECRETS.acme).toString('hex')])
        expect(dump).not.toContain(secret);
    });

    it('takes the same by query', async () => {
      const at = browser();
      const back = await at.goAndReturn(authorizeAt(PLATFORM), person(second, 'elsewhere.example'));
      const answer = await at.get(`${PLATFORM}/callback/?${new URLSearchParams({ ...back })}`);
      expect(answer).toMatchObject({ status: 200, body: { auth_token: expect.any(String) } });
    });

    it('never takes one issuer’s subject for the other’s', async () => {
      const sub = 'the-same-subject';
      const [one, two] = [person(first, 'acme.example', { sub }), person(second, 'blue-hill.example', { sub })];
      const acme = await signedIn(ORG, one);
      const blue = await signedIn(ORG, two, 'blue-hill.example');
      expect(blue.user.id).not.toBe(acme.user.id);
      expect(blue.user.organization).toBe('Blue Hill');
      // The platform's application is another provider than Blue Hill's, though their issuer is the same.
      second.people.set(two, { sub, email: 'the-same@elsewhere.example', email_verified: true });
      const platform = await signedIn(PLATFORM, two);
      expect([acme.user.id, blue.user.id]).not.toContain(platform.user.id);
      // Acme's application at the second issuer: its `ada` is not the first one's, whatever her subject.
      await sql(
        `UPDATE organization_sso SET issuer = $1, client_id = 'blue', client_secret_sealed = $2 WHERE organization_id = (SELECT id FROM organizations WHERE domain = 'acme.example')`,
        [second.url, await sealedFor('acme.example', SECRETS.blue)],
      );
      second.people.set(two, { sub, email: 'intruder@acme.example', email_verified: true });
      const intruder = await signIn(ORG, two);
      await sql(
        `UPDATE organization_sso SET issuer = NULL, client_id = 'acme', client_secret_sealed = $1 WHERE organization_id = (SELECT id FROM organizations WHERE domain = 'acme.example')`,
        [await sealedFor('acme.example', SECRETS.acme)],
      );
      expect((intruder.body as SignedIn).user.id).toBe(blue.user.id);
      expect((await signedIn(ORG, one)).user.id).toBe(acme.user.id);
    });

    async function sealedFor(domain: string, secret: string): Promise<Buffer> {
      const [row] = await sql<{ id: number }>('SELECT id FROM organizations WHERE domain = $1', [domain]);
      return api.app
        .get(SealingService)
        .seal(secret, { table: 'organization_sso', column: 'client_secret_sealed', row: row!.id });
    }

    it('uses a state once, in the browser and for the provider that it was made for, and within ten minutes', async () => {
      const who = person(first, 'acme.example');
      const at = browser();
      const back = await at.goAndReturn(authorizeAt(ORG), who);
      const invalid = { status: 400, body: { detail: expect.any(String), code: 'invalid_state' } };
      const stranger = browser();
      expect(await stranger.post(`${ORG}/callback/`, back)).toMatchObject(invalid);
      await stranger.begin(authorizeAt(ORG));
      expect(await stranger.post(`${ORG}/callback/`, back)).toMatchObject(invalid);
      expect(await at.post(`${PLATFORM}/callback/`, back)).toMatchObject(invalid);
      expect(await at.post(`${ORG}/callback/`, { ...back, state: 'unknown' })).toMatchObject(invalid);
      expect(await at.post(`${ORG}/callback/`, { code: back.code })).toMatchObject(invalid);
      expect(await at.post(`${ORG}/callback/`, { state: back.state })).toMatchObject({
        status: 400,
        body: { code: 'missing_code' },
      });
      const answers = await Promise.all(Array.from({ length: 10 }, () => at.post(`${ORG}/callback/`, back)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status !== 200)).toEqual(Array(9).fill(expect.objectContaining(invalid)));

      const late = await at.goAndReturn(authorizeAt(ORG), who);
      await sql(`UPDATE sso_flows SET expires_at = now() - interval '1 second'`);
      expect(await at.post(`${ORG}/callback/`, late)).toMatchObject(invalid);
    });

    it('keeps several sign-ins of one browser apart', async () => {
      const at = browser();
      const backs = [
        await at.goAndReturn(authorizeAt(ORG), person(first, 'acme.example')),
        await at.goAndReturn(authorizeAt(PLATFORM), person(second, 'elsewhere.example')),
      ];
      expect((await at.post(`${ORG}/callback/`, backs[0])).status).toBe(200);
      expect((await at.post(`${PLATFORM}/callback/`, backs[1])).status).toBe(200);
    });

    it('rejects a code that another sign-in brought, and uses the state up all the same', async () => {
      const at = browser();
      const who = person(first, 'acme.example');
      const one = await at.goAndReturn(authorizeAt(ORG), who);
      const two = await at.goAndReturn(authorizeAt(ORG), who);
      const mixed = { ...two, code: one.code };
      expect(await at.post(`${ORG}/callback/`, mixed)).toMatchObject({
        status: 400,
        body: { code: 'exchange_rejected' },
      });
      expect(await at.post(`${ORG}/callback/`, two)).toMatchObject({ status: 400, body: { code: 'invalid_state' } });
    });

    it('says 404 when the organisation’s credentials are gone, and 503 to a link', async () => {
      await configure('gone.example', 'acme', SECRETS.acme);
      const at = browser();
      const who = person(first, 'gone.example');
      const backs = [
        await at.goAndReturn(authorizeAt(ORG, 'gone.example'), who),
        await at.goAndReturn(authorizeAt(ORG, 'gone.example'), who),
      ];
      await sql(
        `DELETE FROM organization_sso WHERE organization_id = (SELECT id FROM organizations WHERE domain = 'gone.example')`,
      );
      expect(await at.post(`${ORG}/callback/`, backs[0])).toMatchObject({
        status: 404,
        body: { detail: expect.any(String) },
      });
      at.accessToken = (await api.signUp()).token;
      expect(await at.post(`${ORG}/link-exchange/`, backs[1])).toMatchObject({
        status: 503,
        body: { code: 'sso_not_configured' },
      });
    });
  });

  describe('accounts with the same address', () => {
    const linkRequired = { status: 409, body: { detail: expect.any(String), code: 'link_required' } };
    const notVerified = { status: 400, body: { detail: expect.any(String), code: 'email_not_verified' } };

    it('finds an account by a confirmed address of the organisation, and takes it in', async () => {
      const who = person(first, 'acme.example');
      const client = await register(`${who.toUpperCase()}@acme.example`);
      const { user } = await signedIn(ORG, who);
      expect(user).toMatchObject({
        id: await idOf(client),
        organization: 'Acme Ltd',
        auth_methods: { password: true, sso_org: true },
      });
      first.people.set('heir', { sub: `heir-of-${who}`, email: `${who}@acme.example`, email_verified: true });
      expect(await signIn(ORG, 'heir')).toMatchObject(linkRequired);
    });

    it('gives nobody an account whose address was never confirmed', async () => {
      const who = person(first, 'acme.example');
      await register(`${who}@acme.example`, false);
      expect(await signIn(ORG, who)).toMatchObject(linkRequired);
    });

    it('believes an organisation’s provider for its own domain only, and none for an unverified address', async () => {
      expect(await signIn(ORG, person(first, 'acme.example', { email_verified: false }))).toMatchObject(notVerified);
      expect(await signIn(ORG, person(first, 'blue-hill.example'))).toMatchObject(notVerified);
      expect(await signIn(PLATFORM, person(second, 'x.example', { email: undefined }))).toMatchObject(notVerified);
    });

    it('never finds one by address for the platform’s provider', async () => {
      const who = person(second, 'elsewhere.example');
      await register(`${who}@elsewhere.example`);
      expect(await signIn(PLATFORM, who)).toMatchObject(linkRequired);
    });

    it('places newcomers of the platform’s provider by domain, else on their own', async () => {
      const known = await signedIn(PLATFORM, person(second, 'acme.example'));
      expect(known.user).toMatchObject({ organization: 'Acme Ltd', verified: false });
      const who = person(second, 'elsewhere.example');
      expect((await signedIn(PLATFORM, who)).user.organization).toBe(`${who} (personal)`);
    });

    it('refuses a deactivated account with the message of the login', async () => {
      const who = person(first, 'acme.example');
      const { user } = await signedIn(ORG, who);
      await sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
      expect(await signIn(ORG, who)).toMatchObject({
        status: 400,
        body: { non_field_errors: ['User account is disabled.'] },
      });
    });
  });

  describe('linking', () => {
    /** A signed-in browser that has verified somebody at a provider. */
    async function verified(client: HttpClient, provider: string, who: string): Promise<[Browser, Answer]> {
      const at = new Browser(api.baseUrl, client.token);
      const back = await at.goAndReturn(authorizeAt(provider), who);
      return [at, await at.post(`${provider}/link-exchange/`, back)];
    }
    const link = (at: Browser, body: Row) => at.post('/users/sso/link/', body);

    it('links whom the session verified, moves the account into the organisation, and keeps the wrapped key', async () => {
      const who = person(first, 'acme.example');
      const client = await api.signUp();
      const [at, exchanged] = await verified(client, ORG, who);
      const sub = `subject-${who}`;
      expect(exchanged).toMatchObject({ status: 200 });
      expect(exchanged.body).toEqual({
        provider: 'sso_org',
        sub,
        email: `${who}@acme.example`,
        email_verified: true,
        id_token: expect.any(String),
        organization: 'Acme Ltd',
        organization_changed: true,
      });
      expect(await sql('SELECT FROM organizations WHERE name = $1', [`${client.username} (personal)`])).toEqual([]);
      const foreign = new Browser(api.baseUrl, (await api.signUp()).token);
      const notVerified = { status: 400, body: { detail: expect.any(String), code: 'link_not_verified' } };
      expect(await link(foreign, { provider: 'sso_org', sub })).toMatchObject(notVerified);
      expect(await link(at, { provider: 'sso_platform', sub })).toMatchObject(notVerified);
      expect(await link(at, { provider: 'sso_org', sub: 'another' })).toMatchObject(notVerified);
      expect(await link(at, { provider: 'sso_org' })).toMatchObject({
        status: 400,
        body: { detail: expect.any(String) },
      });
      expect(await link(at, { provider: 'other', sub })).toMatchObject({
        status: 400,
        body: { detail: expect.any(String) },
      });
      const linked = await link(at, {
        provider: 'sso_org',
        sub,
        email: 'ignored@x.example',
        rek_wrapped: 'wrapped-key',
      });
      expect(linked).toMatchObject({ status: 200 });
      expect(linked.body).toEqual({
        message: expect.any(String),
        provider: 'sso_org',
        email: `${who}@acme.example`,
        has_encryption_key: true,
      });
      expect(await link(at, { provider: 'sso_org', sub })).toMatchObject(notVerified);
      expect(JSON.stringify(await sql('SELECT i::text FROM sso_identities i'))).not.toContain('wrapped-key');
      const { user, encryption_key } = await signedIn(ORG, who);
      expect([user.id, encryption_key]).toEqual([await idOf(client), 'wrapped-key']);
    });

    it('replaces an earlier identity on re-linking, without its wrapped key', async () => {
      const client = await api.signUp();
      const [one, two] = [person(second, 'elsewhere.example'), person(second, 'elsewhere.example')];
      const [at] = await verified(client, PLATFORM, one);
      await link(at, { provider: 'sso_platform', sub: `subject-${one}`, rek_wrapped: 'k' });
      await verified(client, PLATFORM, one);
      expect(await link(at, { provider: 'sso_platform', sub: `subject-${one}` })).toMatchObject({
        body: { has_encryption_key: true },
      });
      await verified(client, PLATFORM, two);
      expect(await link(at, { provider: 'sso_platform', sub: `subject-${two}` })).toMatchObject({
        body: { has_encryption_key: false },
      });
      expect((await signedIn(PLATFORM, two)).user.id).toBe(await idOf(client));
      expect((await signedIn(PLATFORM, one)).user.id).not.toBe(await idOf(client));
    });

    it('links nobody who is linked with another account, whichever step notices', async () => {
      const who = person(second, 'elsewhere.example');
      const [quick, slow] = [await api.signUp(), await api.signUp()];
      const [atQuick] = await verified(quick, PLATFORM, who);
      const [atSlow] = await verified(slow, PLATFORM, who);
      const body = { provider: 'sso_platform', sub: `subject-${who}` };
      const taken = { status: 409, body: { detail: expect.any(String), code: 'already_linked_elsewhere' } };
      const answers = await Promise.all([link(atQuick, body), link(atSlow, body)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(answers.find(({ status }) => status === 409)).toMatchObject(taken);
      const [, exchanged] = await verified(answers[0].status === 200 ? slow : quick, PLATFORM, who);
      expect(exchanged).toMatchObject(taken);
    });

    it('stays where it is without a free seat, or with an address of another domain', async () => {
      await configure('full.example', 'acme', SECRETS.acme);
      await sql(`UPDATE organizations SET seat_limit = 0 WHERE domain = 'full.example'`);
      for (const [domain, mail] of [
        ['full.example', 'full.example'],
        ['acme.example', 'elsewhere.example'],
      ]) {
        const client = await api.signUp();
        const at = new Browser(api.baseUrl, client.token);
        const back = await at.goAndReturn(authorizeAt(ORG, domain), person(first, mail!));
        expect(await at.post(`${ORG}/link-exchange/`, back)).toMatchObject({
          status: 200,
          body: { organization_changed: false, organization: `${client.username} (personal)` },
        });
      }
    });

    it('forgets after ten minutes whom a session verified', async () => {
      const who = person(second, 'elsewhere.example');
      const [at] = await verified(await api.signUp(), PLATFORM, who);
      await sql(`UPDATE sso_verified_identities SET expires_at = now() - interval '1 second'`);
      expect(await link(at, { provider: 'sso_platform', sub: `subject-${who}` })).toMatchObject({
        body: { code: 'link_not_verified' },
      });
    });

    it('unlinks, but never the only way in', async () => {
      const who = person(second, 'elsewhere.example');
      const { auth_token } = await signedIn(PLATFORM, who);
      const at = new Browser(api.baseUrl, auth_token);
      const unlink = (provider: string) => at.post('/users/sso/unlink/', { provider });
      expect(await unlink('sso_org')).toMatchObject({ status: 404, body: { code: 'not_linked' } });
      expect(await unlink('sso_platform')).toMatchObject({ status: 409, body: { code: 'last_sign_in_method' } });
      await sql(`UPDATE users SET password_hash = 'x' WHERE username = $1`, [who]);
      expect(await unlink('sso_platform')).toMatchObject({ status: 200, body: { provider: 'sso_platform' } });
      expect(await unlink('sso_platform')).toMatchObject({ status: 404 });
    });

    it('lets one of two ways in be removed when both are at once', async () => {
      const client = await api.signUp();
      const [one, two] = [person(first, 'acme.example'), person(second, 'elsewhere.example')];
      const [at] = await verified(client, ORG, one);
      await link(at, { provider: 'sso_org', sub: `subject-${one}` });
      await verified(client, PLATFORM, two);
      await link(at, { provider: 'sso_platform', sub: `subject-${two}` });
      await sql('UPDATE users SET password_hash = NULL WHERE username = $1', [client.username]);
      const answers = await Promise.all(
        ['sso_org', 'sso_platform'].map((provider) => at.post('/users/sso/unlink/', { provider })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });
});
