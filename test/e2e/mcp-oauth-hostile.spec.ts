import { createServer, type ServerResponse } from 'node:http';
import { Revocations } from '@app/mcp';
import { type Answer, startApi, type TestApi } from '../support/api.js';
import { LyingMcp } from '../support/lying-mcp.js';
import { McpUser } from '../support/mcp-sign-in.js';
import { close, listen } from '../support/oidc.js';
import { json } from '../support/oidc-liar.js';
import { until } from '../support/until.js';

type Lie = (liar: LyingMcp) => void;

const ofResource =
  (resource: Record<string, unknown>): Lie =>
  (liar) => {
    liar.resource = resource;
  };
const ofMetadata =
  (metadata: Record<string, unknown>): Lie =>
  (liar) => {
    liar.metadata = metadata;
  };

const anything = (response: ServerResponse) => json(response, { error: 'not found' });

describe('sign-in to tool servers that lie', () => {
  let api: TestApi;
  let user: McpUser;
  let liar: LyingMcp;
  let canary: ReturnType<typeof createServer>;
  let canaryUrl: string;
  let reached = 0;
  let liars: LyingMcp[] = [];
  beforeAll(async () => {
    canary = createServer((_request, response) => {
      reached += 1;
      json(response, {});
    });
    canaryUrl = await listen(canary);
    // The canary's port is not on the list.
    const ports = await Promise.all(Array.from({ length: 40 }, () => LyingMcp.start()));
    liars = ports;
    const hosts = ports.map(({ origin }) => new URL(origin).host).join(',');
    api = await startApi({ MCP_HOSTS: hosts, CORS_ORIGINS: 'https://app.example', LOG_LEVEL: 'fatal' });
    user = await McpUser.signUp(api);
  });
  // What providers say is kept for minutes, so each test has one of its own.
  beforeEach(() => {
    liar = liars.pop()!;
  });
  afterEach(() => liar.stop());
  afterAll(async () => {
    await api?.stop();
    await close(canary);
    await Promise.all(liars.map((one) => one.stop()));
    expect(reached).toBe(0);
  });

  async function discover(lie: Lie = () => {}): Promise<Record<string, unknown>> {
    lie(liar);
    const { status, body } = await user.post('servers/discover/', { url: liar.url });
    expect(status).toBe(200);
    return (body as { oauth: Record<string, unknown> }).oauth;
  }

  /** A whole sign-in; every code is good. */
  async function signIn(id: number, iss?: string): Promise<Answer> {
    const { state } = await user.start(id);
    return user.post('oauth/callback/', { code: 'any', state, ...(iss ? { iss } : {}) });
  }

  it('finds what is true', async () => {
    expect(await discover()).toMatchObject({
      available: true,
      error: null,
      scopes: ['a', 'b'],
      registration: 'dynamic',
    });
  });

  const refused: [string, Lie][] = [
    ['another issuer in the metadata', ofMetadata({ issuer: 'https://other.example' })],
    ['an issuer that begins like it', (one) => ofMetadata({ issuer: `${one.origin}.evil.example` })(one)],
    ['an authorization endpoint that is a script', ofMetadata({ authorization_endpoint: 'javascript:alert(1)//' })],
    ['one that is data', ofMetadata({ authorization_endpoint: 'data:text/html,<script>1</script>' })],
    ['one without TLS', ofMetadata({ authorization_endpoint: 'http://evil.example/authorize' })],
    ['one with a password', ofMetadata({ authorization_endpoint: 'https://user:pw@evil.example/authorize' })],
    ['a token endpoint inside', ofMetadata({ token_endpoint: 'http://169.254.169.254/latest' })],
    ['no PKCE', ofMetadata({ code_challenge_methods_supported: undefined })],
    ['plain PKCE alone', ofMetadata({ code_challenge_methods_supported: ['plain'] })],
    ['no code flow', ofMetadata({ response_types_supported: ['token'] })],
    ['another resource', ofResource({ resource: 'https://bank.example/mcp' })],
    ['a resource beside it', (one) => ofResource({ resource: `${one.origin}/mcp-other` })(one)],
    ['no authorization servers', ofResource({ authorization_servers: [] })],
    ['an authorization server inside', ofResource({ authorization_servers: ['http://127.0.0.1:1'] })],
    ['one with a query', (one) => ofResource({ authorization_servers: [`${one.origin}/?x=1`] })(one)],
    ['one that is no address', ofResource({ authorization_servers: ['not an address'] })],
    [
      'metadata without an end',
      (one) => {
        one.answers.metadata = (response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const timer = setInterval(() => response.write(' '.repeat(65_536)), 1);
          response.on('close', () => clearInterval(timer));
        };
      },
    ],
    ['metadata that are a list', (one) => (one.answers.metadata = (response) => json(response, []))],
  ];
  it.each(refused)('does not sign in with %s', async (_, lie) => {
    const found = await discover(lie);
    expect(found).toMatchObject({ available: false, registration: 'none' });
    expect(found['error']).toEqual(expect.stringMatching(/^.{10,200}$/));
    expect(String(found['error'])).not.toMatch(/\d+\.\d+\.\d+\.\d+|javascript|evil/);
    const id = await user.addServer(liar.url);
    expect(await user.post(`servers/${id}/oauth/start/`)).toMatchObject({
      status: 400,
      body: { code: 'discovery_failed' },
    });
    await user.send('DELETE', `servers/${id}/`);
  });

  it('calls no address inside, whoever names it', async () => {
    const names: Lie[] = [
      (one) => {
        one.answers.mcp = (response) =>
          response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${canaryUrl}/x"` }).end();
      },
      (one) => ofResource({ authorization_servers: [canaryUrl] })(one),
      (one) => ofMetadata({ token_endpoint: `${canaryUrl}/token` })(one),
      (one) => {
        one.answers.metadata = (response) => response.writeHead(302, { location: `${canaryUrl}/y` }).end();
      },
      (one) => {
        one.answers.resource = (response) => response.writeHead(307, { location: `${canaryUrl}/z` }).end();
      },
      (one) => {
        one.answers.mcp = (response) => response.writeHead(307, { location: `${canaryUrl}/mcp` }).end();
      },
    ];
    for (const [index, name] of names.entries()) {
      liar.beHonest();
      if (index > 0) {
        await liar.stop();
        liar = liars.pop()!;
      }
      const found = await discover(name);
      if (index !== 5) expect(found).toMatchObject({ available: false });
    }
    expect(await user.post('servers/discover/', { url: canaryUrl })).toMatchObject({
      body: { oauth: { available: false } },
    });
    expect(await user.post('servers/discover/', { url: 'ftp://x' })).toMatchObject({ status: 200 });
    expect(await user.post('servers/discover/', { url: 'nonsense' })).toMatchObject({ status: 200 });
    expect(await user.post('servers/discover/', {})).toMatchObject({ status: 400 });
    expect(reached).toBe(0);
  });

  it('leaves endpoints out that may not be called', async () => {
    const lie = ofMetadata({
      registration_endpoint: `${canaryUrl}/register`,
      revocation_endpoint: 'file:///etc/passwd',
    });
    expect(await discover(lie)).toMatchObject({
      available: false,
      needs_admin: true,
      registration: 'none',
      dynamic_registration: false,
      error: null,
    });
  });

  it('is told by a server that is down, or asks nobody to sign in', async () => {
    liar.answers.mcp = (response) =>
      json(response, { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-06-18' } });
    liar.answers.resource = (response) => response.writeHead(404).end();
    expect(await discover()).toMatchObject({ available: false, error: null, protocol_version: '2025-06-18' });
    await liar.stop();
    const down = await user.post('servers/discover/', { url: liar.url });
    expect(down).toMatchObject({
      status: 200,
      body: { oauth: { available: false, error: 'The host cannot be reached.' } },
    });
  });

  it('looks on where the first place has nothing of use', async () => {
    const elsewhere = (path: 'resource' | 'metadata', place: RegExp, other: (response: ServerResponse) => void) => {
      liar.answers[path] = (response, { url = '' }) => (place.test(url) ? liar.truth(path, response) : other(response));
    };
    elsewhere('resource', /oauth-protected-resource$/, anything);
    elsewhere('metadata', /openid-configuration$/, anything);
    expect(await discover()).toMatchObject({ available: true, issuer: liar.origin, resource: liar.url, error: null });
    elsewhere('resource', /-resource\/other$/, (response) => response.writeHead(404).end());
    liar.answers.mcp = (response) =>
      response
        .writeHead(401, {
          'www-authenticate': 'Bearer resource_metadata="/.well-known/oauth-protected-resource/other"',
        })
        .end();
    expect(await discover()).toMatchObject({ available: true, error: null });
  });

  it('hears a server that keeps the stream of its answer open', async () => {
    liar.answers.mcp = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': one moment\n\n');
      response.write('data: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}\nid: 1\n\n');
    };
    expect(await discover()).toMatchObject({ available: true, error: null, protocol_version: '2025-06-18' });
  });

  it('finds the authorization server of a server that publishes nothing, at its own origin', async () => {
    liar.answers.mcp = (response) => response.writeHead(401).end();
    liar.answers.resource = (response) => response.writeHead(404).end();
    expect(await discover()).toMatchObject({ available: true, issuer: liar.origin, resource: liar.url, scopes: [] });
  });

  it('keeps what providers answer out of its own answers', async () => {
    const id = await user.addServer(liar.url);
    liar.answers.token = (response) =>
      json(response, { error: 'invalid_grant', error_description: 'your code was any, the secret c-s3cret' }, 400);
    const answer = await signIn(id);
    expect(answer).toMatchObject({ status: 400, body: { code: 'code_rejected', server: { id } } });
    expect(JSON.stringify(answer.body)).not.toMatch(/c-s3cret|your code/);
    liar.answers.token = (response) => json(response, { access_token: 7, token_type: 'Bearer' });
    expect(await signIn(id)).toMatchObject({ status: 400, body: { code: 'provider_unreachable' } });
    for (const token of ['two words', 'líne', 'a\n']) {
      liar.answers.token = (response) => json(response, { access_token: token, token_type: 'Bearer' });
      expect(await signIn(id)).toMatchObject({ status: 400, body: { code: 'provider_unreachable' } });
    }
    for (const status of [429, 502, 503]) {
      liar.answers.token = (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
      const busy = { code: 'provider_unreachable', detail: expect.stringContaining('at the moment') as string };
      expect(await signIn(id)).toMatchObject({ status: 400, body: busy });
    }
    liar.answers.token = (response) => response.writeHead(307, { location: `${canaryUrl}/token` }).end();
    expect(await signIn(id)).toMatchObject({ status: 400, body: { code: 'provider_unreachable' } });
    await user.send('DELETE', `servers/${id}/`);
  });

  it('takes null for what a provider does not give', async () => {
    const id = await user.addServer(liar.url);
    const nothing = { refresh_token: null, expires_in: null, scope: null, id_token: null };
    liar.answers.token = (response) => json(response, { access_token: 'acc', token_type: 'Bearer', ...nothing });
    expect(await signIn(id)).toMatchObject({ status: 200, body: { server: { token_expires_at: null } } });
    liar.answers.token = (response) => json(response, { access_token: null, token_type: 'Bearer', ...nothing });
    expect(await signIn(id)).toMatchObject({ status: 400, body: { code: 'provider_unreachable' } });
    await user.send('DELETE', `servers/${id}/`);
  });

  it('keeps tokens out of what is stored in clear, wherever servers write them', async () => {
    const id = await user.addServer(liar.url);
    const secrets = { access_token: 'acc-t0ken-in-scope', refresh_token: 'ref-t0ken-in-scope' };
    liar.answers.token = (response) =>
      json(response, { ...secrets, token_type: 'Bearer', scope: `a ${Object.values(secrets).join(' ')}` });
    liar.answers.mcp = (response, request) => {
      const token = (request.headers.authorization ?? '').replace('Bearer ', '') || 'none';
      const metadata = `${liar.origin}/.well-known/oauth-protected-resource/mcp`;
      const challenge = `Bearer error="insufficient_scope", scope="c ${token}", resource_metadata="${metadata}"`;
      response.writeHead(request.headers.authorization ? 403 : 401, { 'www-authenticate': challenge }).end();
    };
    const { body } = await signIn(id);
    expect(body).toMatchObject({ ok: false, server: { granted_scopes: 'a', required_scopes: 'a c' } });
    liar.answers.token = (response) => json(response, { error: secrets.refresh_token }, 400);
    const refusedSignIn = await signIn(id);
    const { dataSource } = api.database;
    const tables = ['mcp_servers', 'mcp_oauth_grants', 'mcp_oauth_flows', 'audit_inbox', 'audit_events'];
    const rows = await Promise.all(tables.map((table) => dataSource.query(`SELECT t::text FROM ${table} t`)));
    expect(JSON.stringify([body, refusedSignIn.body, rows])).not.toMatch(/t0ken-in-scope/);
    liar.answers.token = (response) => json(response, { ...secrets, token_type: 'DPoP' });
    expect(await signIn(id)).toMatchObject({ status: 400, body: { code: 'provider_unreachable' } });
    await user.send('DELETE', `servers/${id}/`);
  });

  it('compares an issuer that comes unannounced, and demands none', async () => {
    const id = await user.addServer(liar.url);
    expect(await signIn(id, 'https://other.example')).toMatchObject({ status: 400, body: { code: 'issuer_mismatch' } });
    expect(await signIn(id)).toMatchObject({ status: 200, body: { ok: false } });
    await user.send('DELETE', `servers/${id}/`);
  });

  it('registers anew where the provider has forgotten the application', async () => {
    const id = await user.addServer(liar.url);
    liar.answers.token = (response) =>
      response
        .writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' })
        .end(JSON.stringify({ error: 'invalid_client' }));
    expect(await signIn(id)).toMatchObject({ status: 400, body: { code: 'client_refused' } });
    expect(liar.calls.register).toBe(1);
    delete liar.answers.token;
    expect((await signIn(id)).status).toBe(200);
    expect(liar.calls.register).toBe(2);
    const sent = liar.told.findLast(({ path }) => path === 'token');
    expect(new URLSearchParams(sent?.body).get('client_id')).toBe('client-2');
    // Somebody whom the provider leads back to nobody is not left to it for ever.
    for (let start = 0; start < 6; start += 1) await user.start(id);
    expect(liar.calls.register).toBe(3);
    await user.send('DELETE', `servers/${id}/`);
  });

  it('is one application for sign-ins that begin at once', async () => {
    const id = await user.addServer(liar.url);
    const started = await Promise.all(Array.from({ length: 5 }, () => user.start(id)));
    const clientIds = started.map(({ auth_url: authUrl }) => new URL(authUrl).searchParams.get('client_id'));
    expect(new Set(clientIds).size).toBe(1);
    const rows = await api.database.dataSource.query('SELECT id FROM mcp_oauth_clients WHERE issuer = $1', [
      liar.origin,
    ]);
    expect(rows).toHaveLength(1);
    // The oldest of more than ten that are open is void.
    for (let more = 0; more < 10; more += 1) await user.start(id);
    const oldest = await Promise.all(started.map(({ state }) => user.post('oauth/callback/', { code: 'any', state })));
    expect(oldest.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    await user.send('DELETE', `servers/${id}/`);
  });

  it('revokes what a user granted whose account is erased', async () => {
    const leaving = await McpUser.signUp(api);
    const id = await leaving.addServer(liar.url);
    const { state } = await leaving.start(id);
    expect((await leaving.post('oauth/callback/', { code: 'any', state })).status).toBe(200);
    const calls = liar.calls.revoke;
    const closed = await leaving.client.send('DELETE', '/users/delete/');
    expect(closed.status).toBeLessThan(300);
    const left = () =>
      api.database.dataSource.query<{ server_id: string | null }[]>(
        'SELECT server_id FROM mcp_oauth_grants WHERE issuer = $1',
        [liar.origin],
      );
    await until(async () => (await left()).every((grant) => grant.server_id === null));
    // The api may have begun with it by itself.
    await api.app.get(Revocations).revokeNext();
    await until(async () => (await left()).length === 0);
    expect(liar.calls.revoke).toBe(calls + 2);
  });

  it('goes on to revoke what a provider that was down has not heard', async () => {
    const id = await user.addServer(liar.url);
    expect((await signIn(id)).status).toBe(200);
    liar.answers.revoke = (response) => response.writeHead(503).end();
    expect((await user.send('DELETE', `servers/${id}/`)).status).toBe(200);
    const left = () => api.database.dataSource.query('SELECT server_id FROM mcp_oauth_grants');
    expect(await left()).toEqual([{ server_id: null }]);
    delete liar.answers.revoke;
    await api.database.dataSource.query('UPDATE mcp_oauth_grants SET revoke_at = now()');
    expect(await api.app.get(Revocations).revokeNext()).toBe(true);
    expect(await left()).toEqual([]);
    const revoked = liar.told
      .filter(({ path }) => path === 'revoke')
      .map(({ body }) => new URLSearchParams(body).get('token'));
    expect(revoked.slice(-2)).toEqual(['r-token', 'a-token']);
  });
});
