import type { ServerResponse } from 'node:http';
import { type Answer, startApi, type TestApi } from '../support/api.js';
import { Browser } from '../support/browser.js';
import { type Endpoint, json, LyingProvider } from '../support/oidc-liar.js';
import { setupToken } from '../support/sso-setup-token.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

type Fault = (provider: LyingProvider) => void;

const PLATFORM = '/api/v1/auth/sso_platform';
const answering =
  (endpoint: Endpoint, answer: (response: ServerResponse) => void): Fault =>
  (provider) => {
    provider.answers = { ...provider.answers, [endpoint]: answer };
  };
const claiming =
  (claims: Record<string, unknown>): Fault =>
  (provider) => {
    provider.claims = claims;
  };

const dribble = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  const timer = setInterval(() => response.write(' '), 200);
  response.on('close', () => clearInterval(timer));
};

describe('single sign-on with a provider that is down, slow or lying', () => {
  let api: TestApi;
  let provider: LyingProvider;
  let organizations = 0;
  beforeAll(async () => {
    provider = await LyingProvider.start();
    api = await startApi({
      SSO_ALLOW_HTTP: 'true',
      SSO_ORG_ISSUER: provider.url,
      SSO_PLATFORM_ISSUER: provider.url,
      SSO_PLATFORM_CLIENT_ID: 'atrium',
      SSO_PLATFORM_CLIENT_SECRET: 'platform-s3cret',
      LOG_LEVEL: 'fatal',
    });
  });
  beforeEach(() => provider.beHonest());
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await api?.stop();
    await provider?.stop();
  });

  /** A sign-in whose answer is spoiled on the way back. */
  async function signIn(fault: Fault = () => {}, iss: string | undefined = provider.url): Promise<Answer> {
    const browser = new Browser(api.baseUrl);
    const { state, nonce } = await browser.begin(`${PLATFORM}/authorize/`);
    provider.nonce = nonce;
    fault(provider);
    return browser.post(`${PLATFORM}/callback/`, { code: 'any', state, ...(iss ? { iss } : {}) });
  }

  /** The same with an application of its own, whose provider is discovered anew. */
  async function authorizeElsewhere(fault: Fault): Promise<Answer> {
    const browser = new Browser(api.baseUrl);
    const domain = `org${(organizations += 1)}.example`;
    const credentials = {
      domain,
      client_id: domain,
      client_secret: 's3cret',
      setup_token: await setupToken(api, domain),
    };
    await browser.post('/api/v1/auth/sso_org/setup-credentials/', credentials);
    fault(provider);
    return browser.get(`/api/v1/auth/sso_org/authorize/?domain=${domain}`);
  }

  it('signs in while it is honest, with the address of the user info endpoint too', async () => {
    expect((await signIn()).status).toBe(200);
    const told = await signIn(claiming({ email: undefined, email_verified: undefined }));
    expect(told).toMatchObject({ status: 200, body: { user: { email: 'ada@liar.example' } } });
    expect((await signIn(claiming({ email: null, email_verified: null }))).status).toBe(200);
    expect(provider.calls).toMatchObject({ discovery: 1, jwks: 1, userinfo: 2 });
  });

  it('asks there, too, whether an address is verified of which the token holds no word', async () => {
    const newcomer = { sub: 'subject-2', email: 'bob@liar.example', email_verified: undefined };
    const telling = (told: Record<string, unknown>): Fault => {
      return (to) => {
        claiming(newcomer)(to);
        answering('userinfo', (at) => json(at, { sub: 'subject-2', ...told }))(to);
      };
    };
    const unverified = { status: 400, body: { code: 'email_not_verified' } };
    expect(await signIn(telling({ email: newcomer.email }))).toMatchObject(unverified);
    expect(await signIn(telling({ email: newcomer.email, email_verified: false }))).toMatchObject(unverified);
    // Of which address that is said, nobody knows.
    expect(await signIn(telling({ email_verified: true }))).toMatchObject(unverified);
    expect(await signIn(telling({ sub: 'subject-1', email: newcomer.email, email_verified: true }))).toMatchObject(
      unverified,
    );
    // What the token itself denies is not asked for.
    const { userinfo } = provider.calls;
    expect(await signIn(claiming({ ...newcomer, email_verified: false }))).toMatchObject(unverified);
    expect(provider.calls.userinfo).toBe(userinfo);
    expect(await signIn(telling({ email: newcomer.email, email_verified: true }))).toMatchObject({
      status: 200,
      body: { user: { email: newcomer.email, email_verified: true } },
    });
    // Whoever is known by the subject comes in without it.
    const down: Fault = (to) => (claiming(newcomer)(to), answering('userinfo', (at) => json(at, {}, 503))(to));
    expect((await signIn(down)).status).toBe(200);
  });

  const invalid: [string, Fault][] = [
    ['another audience', claiming({ aud: 'somebody-else' })],
    ['further audiences without a party', claiming({ aud: ['atrium', 'other'] })],
    ['another issuer', claiming({ iss: 'https://other.example' })],
    ['another nonce', claiming({ nonce: 'another' })],
    ['no nonce', claiming({ nonce: undefined })],
    ['an expired token', claiming({ exp: Math.floor(Date.now() / 1000) - 60 })],
    ['no expiry', claiming({ exp: undefined })],
    ['no subject', claiming({ sub: undefined })],
    ['a number as the subject', claiming({ sub: 7 })],
    ['an empty subject', claiming({ sub: '' })],
    ['an endless subject', claiming({ sub: 'x'.repeat(300) })],
    ['a NUL in the subject', claiming({ sub: 'a\u0000b' })],
    ['a number as the address', claiming({ email: 7 })],
    ['a list as the address', claiming({ email: ['ada@liar.example'] })],
    ['an object as the name', claiming({ given_name: {} })],
    ['the algorithm none', (to) => Object.assign(to, { header: { alg: 'none' } })],
    ['a symmetric signature', (to) => Object.assign(to, { header: { alg: 'HS256' } })],
    ['a forged signature', (to) => Object.assign(to, { forged: true })],
    ['an unknown key', (to) => Object.assign(to, { header: { kid: 'unknown' } })],
    ['no token', answering('token', (to) => json(to, { access_token: 'a', token_type: 'Bearer' }))],
    [
      'a torn token',
      answering('token', (to) => json(to, { access_token: 'a', token_type: 'Bearer', id_token: 'a.b' })),
    ],
    ['nonsense', answering('token', (to) => json(to, { access_token: 'a', token_type: 'Bearer', id_token: '_._._' }))],
    [
      'a token that is no text',
      answering('token', (to) => json(to, { access_token: 'a', token_type: 'B', id_token: 5 })),
    ],
  ];
  describe.each(['iat', 'nbf', 'auth_time'])('with the time %s', (claim) => {
    const ahead = (seconds: number) => claiming({ [claim]: Math.floor(Date.now() / 1000) + seconds });

    // Tokens of this provider hold for 600 seconds; the clock may be ahead by 60.
    it.each([90, 590, 86_400 * 365])('refuses a token that is %s seconds ahead', async (seconds) => {
      expect(await signIn(ahead(seconds))).toMatchObject({ status: 400, body: { code: 'invalid_id_token' } });
    });

    it.each([30, 0, -300])('takes one that is %s seconds ahead', async (seconds) => {
      expect((await signIn(ahead(seconds))).status).toBe(200);
    });
  });

  it.each(invalid)('refuses %s as no valid token', async (_name, fault) => {
    expect(await signIn(fault)).toMatchObject({
      status: 400,
      body: { code: 'invalid_id_token', detail: expect.any(String) },
    });
  });

  it('refuses an answer that came from another issuer, or does not say from whom (RFC 9207)', async () => {
    expect(await signIn(undefined, 'https://other.example')).toMatchObject({
      status: 400,
      body: { code: 'invalid_id_token' },
    });
    expect(await signIn(undefined, '')).toMatchObject({ status: 400, body: { code: 'invalid_id_token' } });
  });

  const rejecting: [string, Fault][] = [
    ['in the words of OAuth', answering('token', (to) => json(to, { error: 'invalid_grant' }, 400))],
    ['with a challenge', answering('token', (to) => to.writeHead(401, { 'www-authenticate': 'Basic' }).end('{}'))],
    ['with a page', answering('token', (to) => to.writeHead(403, { 'content-type': 'text/html' }).end('<p>no'))],
  ];
  it.each(rejecting)('says that the code was rejected: %s', async (_name, fault) => {
    expect(await signIn(fault)).toMatchObject({ status: 400, body: { code: 'exchange_rejected' } });
  });

  const broken: [string, Fault][] = [
    ['fails', answering('token', (to) => json(to, { error: 'server_error' }, 500))],
    ['is busy', answering('token', (to) => json(to, {}, 429))],
    ['hangs up', answering('token', (to) => to.destroy())],
    ['answers a page', answering('token', (to) => to.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'))],
    [
      'answers torn JSON',
      answering('token', (to) => to.writeHead(200, { 'content-type': 'application/json' }).end('{"a"')),
    ],
    ['answers a list', answering('token', (to) => json(to, []))],
    ['leads elsewhere', answering('token', (to) => to.writeHead(307, { location: 'http://127.0.0.1:1/' }).end())],
    ['answers without an end', answering('token', (to) => json(to, { padding: 'x'.repeat(1_100_000) }))],
    [
      'hides the user',
      (to) => (claiming({ email: undefined })(to), answering('userinfo', (at) => json(at, {}, 503))(to)),
    ],
  ];
  it.each(broken)('answers 502 when the provider %s', async (_name, fault) => {
    expect(await signIn(fault)).toMatchObject({
      status: 502,
      body: { code: 'provider_unreachable', detail: expect.any(String) },
    });
  });

  const misdescribed: [string, Fault][] = [
    ['itself as another issuer', (to) => Object.assign(to, { metadata: { issuer: 'https://other.example' } })],
    ['itself as no address', (to) => Object.assign(to, { metadata: { issuer: 'nobody' } })],
    ['itself with a number', (to) => Object.assign(to, { metadata: { issuer: 5 } })],
    ['no place to sign in', (to) => Object.assign(to, { metadata: { authorization_endpoint: undefined } })],
    [
      'a script as the place',
      (to) => Object.assign(to, { metadata: { authorization_endpoint: 'javascript:alert(1)' } }),
    ],
    ['nothing', answering('discovery', (to) => json(to, { error: 'not found' }, 404))],
    ['a page', answering('discovery', (to) => to.end('<html>'))],
  ];
  it.each(misdescribed)(
    'answers 502 when the provider describes %s, and asks again the next time',
    async (_name, fault) => {
      expect(await authorizeElsewhere(fault)).toMatchObject({ status: 502, body: { code: 'provider_unreachable' } });
      provider.beHonest();
      const domain = `org${organizations}.example`;
      expect((await new Browser(api.baseUrl).get(`/api/v1/auth/sso_org/authorize/?domain=${domain}`)).status).toBe(200);
    },
  );

  const unverifiable: [string, number, string, Fault][] = [
    ['fails to show its keys', 502, 'provider_unreachable', answering('jwks', (to) => json(to, {}, 500))],
    ['shows no keys', 400, 'invalid_id_token', answering('jwks', (to) => json(to, { keys: [] }))],
    ['shows something else', 400, 'invalid_id_token', answering('jwks', (to) => json(to, { keys: 'none' }))],
    [
      'shows a key that is none',
      400,
      'invalid_id_token',
      answering('jwks', (to) => json(to, { keys: [{ kty: 'EC', kid: 'first', crv: 'P-256', x: '!', y: 7 }] })),
    ],
    [
      'announces the algorithm none, and uses it',
      400,
      'invalid_id_token',
      (to) => Object.assign(to, { header: { alg: 'none' } }),
    ],
  ];
  it.each(unverifiable)('trusts no provider that %s', async (_name, status, code, fault) => {
    const domain = `org${(organizations += 1)}.example`;
    const browser = new Browser(api.baseUrl);
    const credentials = {
      domain,
      client_id: domain,
      client_secret: 's3cret',
      setup_token: await setupToken(api, domain),
    };
    await browser.post('/api/v1/auth/sso_org/setup-credentials/', credentials);
    provider.metadata = { id_token_signing_alg_values_supported: ['none', 'ES256'] };
    provider.clientId = domain;
    const { state, nonce } = await browser.begin(`/api/v1/auth/sso_org/authorize/?domain=${domain}`);
    provider.nonce = nonce;
    fault(provider);
    const answer = await browser.post('/api/v1/auth/sso_org/callback/', { code: 'any', state, iss: provider.url });
    expect(answer).toMatchObject({ status, body: { code } });
  });

  inAll('gives a provider up that does not answer, or dribbles, after five seconds', async () => {
    const open: ServerResponse[] = [];
    const hang = (response: ServerResponse) => void open.push(response);
    const took = stopwatch();
    const first = signIn(answering('token', hang));
    await new Promise((done) => setTimeout(done, 300));
    const answers = await Promise.all([
      first,
      authorizeElsewhere(answering('discovery', hang)),
      signIn(answering('token', dribble)),
    ]);
    expect(answers.map(({ status, body }) => `${status} ${(body as { code: string }).code}`)).toEqual(
      Array(3).fill('502 provider_unreachable'),
    );
    expect(took()).toBeLessThan(8000);
    for (const response of open) response.destroy();
  });

  it('asks many at once with one discovery', async () => {
    const before = provider.calls.discovery;
    await authorizeElsewhere(() => {});
    const domain = `org${organizations}.example`;
    await api.database.dataSource.query("UPDATE organization_sso SET client_id = 'renamed' WHERE client_id = $1", [
      domain,
    ]);
    const browser = new Browser(api.baseUrl);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => browser.get(`/api/v1/auth/sso_org/authorize/?domain=${domain}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(provider.calls.discovery).toBe(before + 2);
  });

  it('takes a new key of the provider, asking for keys once a minute at most', async () => {
    expect((await signIn()).status).toBe(200);
    provider.rotateKey();
    const { jwks } = provider.calls;
    const refused = [await signIn(), await signIn(), await signIn()];
    expect(refused.map(({ body }) => (body as { code: string }).code)).toEqual(Array(3).fill('invalid_id_token'));
    expect(provider.calls.jwks).toBe(jwks);
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 61_000);
    expect((await signIn()).status).toBe(200);
    expect(provider.calls.jwks).toBe(jwks + 1);
  });

  it('answers 502 while nobody listens', async () => {
    const issuer = 'http://127.0.0.1:9';
    await authorizeElsewhere(() => {});
    const domain = `org${organizations}.example`;
    await api.database.dataSource.query('UPDATE organization_sso SET issuer = $2 WHERE client_id = $1', [
      domain,
      issuer,
    ]);
    const answer = await new Browser(api.baseUrl).get(`/api/v1/auth/sso_org/authorize/?domain=${domain}`);
    expect(answer).toMatchObject({ status: 502, body: { code: 'provider_unreachable' } });
  });
});
