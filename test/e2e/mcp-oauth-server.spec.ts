import { createHash, randomBytes } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { call, postJson, startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { callTool, postMcp } from '../support/mcp-client.js';
import { rounds } from '../support/long.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { startWorkflow } from '../support/workflow-api.js';

const CALLBACK = 'http://127.0.0.1:7777/callback';
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** What a program keeps of its sign-in. */
class Program implements OAuthClientProvider {
  information?: OAuthClientInformationMixed;
  kept?: OAuthTokens;
  verifier = '';
  address?: URL;
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'Test program', redirect_uris: [CALLBACK] };

  state = () => 'state of the program';
  clientInformation = () => this.information;
  saveClientInformation = (information: OAuthClientInformationMixed) => void (this.information = information);
  tokens = () => this.kept;
  saveTokens = (tokens: OAuthTokens) => void (this.kept = tokens);
  redirectToAuthorization = (address: URL) => void (this.address = address);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
}

describe('sign-in of MCP clients', () => {
  let api: TestApi;
  let owner: HttpClient;

  beforeAll(async () => {
    api = await startApi({ REFRESH_GRACE_SECONDS: '300' });
    owner = await api.signUp();
  });
  afterAll(() => api?.stop());

  const form = (path: string, fields: Record<string, string>) =>
    call(api.baseUrl + path, { method: 'POST', body: new URLSearchParams(fields) });
  const sql = <T = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    api.database.dataSource.query<T[]>(text, values);
  const speak = (token: string) => postMcp(api.baseUrl, ping, { authorization: `Bearer ${token}` });

  async function register(more: object = {}): Promise<string> {
    const { body } = await postJson(`${api.baseUrl}/oauth/register/`, {
      client_name: 'Raw',
      redirect_uris: [CALLBACK],
      ...more,
    });
    return (body as { client_id: string }).client_id;
  }

  /** The web app's part. */
  async function decide(address: URL | string, body: object, client = owner): Promise<URL> {
    const begun = await call(String(address));
    expect(begun.status).toBe(302);
    const page = new URL(begun.headers.get('location')!);
    expect(page.pathname).toBe('/oauth/consent');
    const { redirect_to } = await client.post<{ redirect_to: string }>(
      `/oauth/requests/${page.searchParams.get('request')!}/`,
      body,
    );
    return new URL(redirect_to);
  }

  function ask(clientId: string, more: Record<string, string> = {}): { address: string; verifier: string } {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      state: 'x',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: `${api.baseUrl}/mcp`,
      ...more,
    });
    return { address: `${api.baseUrl}/oauth/authorize/?${query.toString()}`, verifier };
  }

  async function signIn(clientId: string, more: Record<string, string> = {}): Promise<Tokens> {
    const { address, verifier } = ask(clientId, more);
    const back = await decide(address, { approve: true });
    const fields = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
    };
    const { status, body } = await form('/oauth/token/', { ...fields, code: back.searchParams.get('code')! });
    expect(status).toBe(200);
    return body as Tokens;
  }

  it('goes as the SDK does it: discovery, registration, PKCE, consent, calls, refresh, revocation', async () => {
    const program = new Program();
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1' });
      const transport = new StreamableHTTPClientTransport(new URL('/mcp/', api.baseUrl), { authProvider: program });
      return { client, transport, connected: client.connect(transport as Transport) };
    };
    const first = await connect();
    await expect(first.connected).rejects.toThrow('Unauthorized');
    expect(program.address!.pathname).toBe('/oauth/authorize/');
    expect(program.address!.searchParams.get('resource')).toBe(`${api.baseUrl}/mcp`);
    const begun = await call(String(program.address));
    const id = new URL(begun.headers.get('location')!).searchParams.get('request')!;
    expect(await owner.get(`/oauth/requests/${id}/`)).toMatchObject({
      client_name: 'Test program',
      redirect_host: '127.0.0.1:7777',
      redirect_uri: CALLBACK,
      redirect_scheme: null,
      scopes: ['documents:read', 'workflows:read', 'workflows:run'],
    });
    const answer = { approve: true, scopes: ['documents:read'] };
    const back = new URL((await owner.post<{ redirect_to: string }>(`/oauth/requests/${id}/`, answer)).redirect_to);
    expect(back.searchParams.get('state')).toBe('state of the program');
    expect(back.searchParams.get('iss')).toBe(api.baseUrl);
    await first.transport.finishAuth(back.searchParams.get('code')!);
    const second = await connect();
    await second.connected;
    const { tools } = await second.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('search_documents');
    expect(tools.map(({ name }) => name)).not.toContain('run_workflow');
    expect(await callTool(second.client, 'list_documents')).toEqual({ documents: [], next_cursor: null });
    // An hour later.
    const before = program.kept!;
    await sql(
      `UPDATE access_tokens SET expires_at = now() - interval '1 second' WHERE session_id IN (SELECT session_id FROM oauth_grants)`,
    );
    await new Promise((done) => setTimeout(done, 5200));
    expect(await callTool(second.client, 'list_documents')).toEqual({ documents: [], next_cursor: null });
    expect(program.kept!.access_token).not.toBe(before.access_token);
    const sessions = await owner.get<{ id: string; user_agent: string }[]>('/api/v1/auth/sessions/');
    const own = sessions.find(({ user_agent: agent }) => agent === 'MCP client: Test program')!;
    await owner.send('DELETE', `/api/v1/auth/sessions/${own.id}/`);
    expect((await speak(program.kept!.access_token)).status).toBe(401);
    await second.client.close();
  });

  it('tells where it is, to whoever asks', async () => {
    for (const path of ['/mcp', '/mcp/', '']) {
      const { status, body } = await call(`${api.baseUrl}/.well-known/oauth-protected-resource${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect(body).toMatchObject({ resource: `${api.baseUrl}/mcp`, authorization_servers: [api.baseUrl] });
    }
    const { body } = await call(`${api.baseUrl}/.well-known/oauth-authorization-server`);
    expect(body).toMatchObject({ issuer: api.baseUrl, code_challenge_methods_supported: ['S256'] });
  });

  it('gives tokens that are good for the endpoint alone', async () => {
    const { access_token: token, refresh_token: refresh, scope, expires_in: seconds } = await signIn(await register());
    expect([scope, seconds]).toEqual(['documents:read workflows:read workflows:run', 3600]);
    expect((await speak(token)).status).toBe(200);
    for (const path of [
      '/semantic-search/documents/',
      '/microservices/workflow/',
      '/users/me/',
      '/users/api-tokens/',
    ]) {
      const { status } = await call(api.baseUrl + path, { headers: { authorization: `Token ${token}` } });
      expect([path, status]).toEqual([path, 403]);
    }
    const id = await startWorkflow(owner, { nodes: [{ id: 'say', kind: 'template', params: { template: 'x' } }] });
    expect(await NodesSocket.of(api.baseUrl, id, `token=${token}`).closed).toBe(403);
    const grants = await sql<{ id: string }>('SELECT id FROM oauth_requests LIMIT 1');
    expect(
      (
        await postJson(
          `${api.baseUrl}/oauth/requests/${grants[0]!.id}/`,
          { approve: true },
          { authorization: `Token ${token}` },
        )
      ).status,
    ).toBe(403);
    expect((await postJson(`${api.baseUrl}/api/v1/auth/refresh/`, { refresh_token: refresh })).status).toBe(401);
    const stored = await sql<{ text: string }>(
      'SELECT (SELECT json_agg(a)::text FROM access_tokens a) || (SELECT json_agg(r)::text FROM refresh_tokens r) || (SELECT json_agg(q)::text FROM oauth_requests q) AS text',
    );
    expect(stored[0]!.text).not.toContain(token);
    expect(stored[0]!.text).not.toContain(refresh);
  });

  it.each([
    ['no client', { client_id: 'mcp_unknown' }, 401],
    ['another redirect', { redirect_uri: 'https://evil.example/' }, 400],
    ['a longer redirect', { redirect_uri: `${CALLBACK}/more` }, 400],
    ['a redirect of another host', { redirect_uri: 'http://localhost:7777/callback' }, 400],
    ['a redirect with a user', { redirect_uri: 'http://127.0.0.1:7777@evil.example/callback' }, 400],
    ['no redirect that is one', { redirect_uri: 'javascript:alert(1)' }, 400],
  ])('asking with %s leads nowhere', async (_, more, status) => {
    const answer = await call(ask(await register(), more as Record<string, string>).address);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('location')).toBeNull();
  });

  it.each([
    ['no PKCE', { code_challenge: '' }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['scopes that are not offered', { scope: 'documents:write admin' }, 'invalid_scope'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
  ])('asking with %s is told to the client', async (_, more, code) => {
    const answer = await call(ask(await register(), more as Record<string, string>).address);
    expect(answer.status).toBe(302);
    const back = new URL(answer.headers.get('location')!);
    expect(back.origin + back.pathname).toBe(CALLBACK);
    expect([back.searchParams.get('error'), back.searchParams.get('state')]).toEqual([code, 'x']);
  });

  it('gives the state back as it came, or says that it cannot', async () => {
    const clientId = await register();
    const state = `${'x'.repeat(4090)} +&=é`;
    expect((await decide(ask(clientId, { state }).address, { approve: true })).searchParams.get('state')).toBe(state);
    const { address } = ask(clientId);
    for (const wrong of [
      ask(clientId, { state: 'x'.repeat(4097) }).address,
      `${address}&state=y`,
      address.replace('state=x', 'state=%00'),
      `${ask(clientId, { scope: 'documents:read' }).address}&scope=workflows%3Aread`,
    ]) {
      const answer = await call(wrong);
      const back = new URL(answer.headers.get('location')!);
      expect([answer.status, back.searchParams.get('error')]).toEqual([302, 'invalid_request']);
    }
  });

  const inBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const registerAt = async (redirect_uri: string): Promise<string> => {
    const { body } = await postJson(`${api.baseUrl}/oauth/register/`, {
      client_name: 'X',
      redirect_uris: [redirect_uri],
    });
    return (body as { client_id: string }).client_id;
  };

  it.each(['https://evil.example/<script>alert(1)</script>?a="b', 'evil.app://cb/x'])(
    'a client of %s that asks wrongly leads nobody there; a page says where it wanted to lead',
    async (redirect_uri) => {
      const clientId = await registerAt(redirect_uri);
      // That somebody let it in once changes nothing: its maker may have done so.
      const { address: good } = ask(clientId, { redirect_uri });
      await decide(good, { approve: true });
      const { address } = ask(clientId, { redirect_uri, response_type: 'token', state: '"><img src=x>' });
      const page = await fetch(address, { redirect: 'manual', headers: inBrowser });
      expect([page.status, page.headers.get('location')]).toEqual([400, null]);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('cache-control')).toBe('no-store');
      const text = await page.text();
      expect(text).toContain(redirect_uri.slice(0, 9));
      expect(text).toContain('unsupported_response_type');
      expect(text).not.toMatch(/<script|<img|<a /);
      const told = await call(address, { headers: { accept: 'application/json' } });
      expect(told).toMatchObject({ status: 400, body: { error: 'unsupported_response_type' } });
      expect(told.headers.get('location')).toBeNull();
    },
  );

  it('shows people a page where the client or its address is not known', async () => {
    for (const [more, status] of [
      [{ client_id: 'mcp_<b>x</b>' }, 401],
      [{ redirect_uri: 'https://evil.example/' }, 400],
    ] as const) {
      const page = await fetch(ask(await register(), more).address, { redirect: 'manual', headers: inBrowser });
      expect([page.status, page.headers.get('location')]).toEqual([status, null]);
      const text = await page.text();
      expect(text).toMatch(/^<!doctype html>/);
      expect(text).not.toMatch(/evil|<b>/);
    }
  });

  it.each([
    ['https://app.example:8443/cb?x=1', 'app.example:8443', null],
    ['https://аpple.example/cb', 'xn--pple-43d.example', null],
    ['cursor://anysphere.cursor-mcp/cb', 'cursor://anysphere.cursor-mcp', 'cursor'],
    ['com.example.app:/cb', 'com.example.app:', 'com.example.app'],
  ])(
    'the consent to %s shows the whole target, and its scheme unless it is of the web',
    async (redirect_uri, host, scheme) => {
      const begun = await call(ask(await registerAt(redirect_uri), { redirect_uri }).address);
      const id = new URL(begun.headers.get('location')!).searchParams.get('request')!;
      expect(await owner.get(`/oauth/requests/${id}/`)).toMatchObject({
        redirect_host: host,
        redirect_uri: new URL(redirect_uri).href,
        redirect_scheme: scheme,
      });
    },
  );

  it('takes another port of a loopback address, as native programs choose theirs', async () => {
    const { address } = ask(await register(), { redirect_uri: 'http://127.0.0.1:50123/callback' });
    const back = await decide(address, { approve: false });
    expect([back.port, back.searchParams.get('error')]).toEqual(['50123', 'access_denied']);
  });

  it('a request is answered once, by somebody who is signed in, with what was asked for at most', async () => {
    const { address } = ask(await register(), { scope: 'documents:read' });
    const page = new URL((await call(address)).headers.get('location')!);
    const path = `/oauth/requests/${page.searchParams.get('request')!}/`;
    expect((await postJson(api.baseUrl + path, { approve: true })).status).toBe(401);
    expect((await owner.send('POST', path, { approve: true, scopes: ['workflows:run'] })).status).toBe(400);
    expect((await owner.send('POST', path, { approve: true, scopes: [] })).status).toBe(400);
    const others = await Promise.all(Array.from({ length: 5 }, () => api.signUp()));
    const answers = await Promise.all(others.map((one) => one.send('POST', path, { approve: true })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
    expect((await owner.send('GET', path)).status).toBe(404);
    await sql(`UPDATE oauth_requests SET expires_at = now() - interval '1 second' WHERE user_id IS NULL`);
    expect((await owner.send('GET', `/oauth/requests/${crypto.randomUUID()}/`)).status).toBe(404);
  });

  it('a code is good once, for its client, its address and its verifier; used again it ends what came of it', async () => {
    const clientId = await register();
    const other = await register();
    const { address, verifier } = ask(clientId);
    const code = (await decide(address, { approve: true })).searchParams.get('code')!;
    const right = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
    };
    for (const wrong of [
      { client_id: other },
      { code_verifier: randomBytes(32).toString('base64url') },
      { redirect_uri: 'http://127.0.0.1:7777/other' },
      { code: 'nonsense' },
    ]) {
      const { status, body } = await form('/oauth/token/', { ...right, ...wrong });
      expect([wrong, status, body]).toMatchObject([wrong, 400, { error: 'invalid_grant' }]);
    }
    expect((await form('/oauth/token/', { ...right, resource: 'https://other.example/' })).body).toMatchObject({
      error: 'invalid_target',
    });
    const raced = await Promise.all(Array.from({ length: 8 }, () => form('/oauth/token/', right)));
    const won = raced.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(won[0]!.headers.get('cache-control')).toBe('no-store');
    // The others came with a code that was used: whoever has it second may be the thief of the first.
    expect((await speak((won[0]!.body as Tokens).access_token)).status).toBe(401);
    const late = ask(clientId);
    const lateCode = (await decide(late.address, { approve: true })).searchParams.get('code')!;
    await sql(`UPDATE oauth_requests SET code_expires_at = now() - interval '1 second' WHERE session_id IS NULL`);
    expect((await form('/oauth/token/', { ...right, code: lateCode, code_verifier: late.verifier })).status).toBe(400);
  });

  it('refresh tokens rotate: one successor however many ask, and one that comes back late ends the session', async () => {
    const clientId = await register();
    const tokens = await signIn(clientId);
    const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token };
    expect((await form('/oauth/token/', { ...fields, client_id: await register() })).status).toBe(400);
    const raced = await Promise.all(Array.from({ length: 20 }, () => form('/oauth/token/', fields)));
    expect(new Set(raced.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(raced.map(({ body }) => (body as Tokens).access_token)).size).toBe(1);
    const next = raced[0]!.body as Tokens;
    expect(next.scope).toBe(tokens.scope);
    expect((await speak(next.access_token)).status).toBe(200);
    // Six minutes later.
    await sql(`UPDATE refresh_tokens SET replaced_at = replaced_at - interval '6 minutes'`);
    expect((await form('/oauth/token/', fields)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await speak(next.access_token)).status).toBe(401);
    expect((await form('/oauth/token/', { ...fields, refresh_token: next.refresh_token })).status).toBe(400);
  });

  it('a client takes its own tokens back, and nobody else does', async () => {
    const clientId = await register();
    const { access_token: token, refresh_token: refresh } = await signIn(clientId);
    expect((await form('/oauth/revoke/', { token, client_id: await register() })).status).toBe(200);
    expect((await speak(token)).status).toBe(200);
    expect((await form('/oauth/revoke/', { token: refresh, client_id: clientId })).status).toBe(200);
    expect((await speak(token)).status).toBe(401);
    expect((await form('/oauth/revoke/', { token: 'unknown', client_id: clientId })).status).toBe(200);
    expect((await form('/oauth/revoke/', {})).body).toMatchObject({ error: 'invalid_request' });
  });

  it('an account that is closed, or signs out everywhere, takes its programs along', async () => {
    const [row] = await sql<{ id: number }>('SELECT id FROM users WHERE username = $1', [owner.username]);
    const { access_token: token } = await signIn(await register());
    await owner.send('POST', '/api/v1/auth/logout-all/');
    expect((await speak(token)).status).toBe(401);
    owner = await api.signUp();
    expect(row!.id).toBeGreaterThan(0);
  });

  /** A grant that the program has not fetched yet. */
  async function granted(person: HttpClient): Promise<Record<string, string>> {
    const clientId = await register();
    const { address, verifier } = ask(clientId);
    const code = (await decide(address, { approve: true }, person)).searchParams.get('code')!;
    return {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
    };
  }

  it.each<[string, (person: HttpClient) => Promise<unknown>]>([
    ['all sessions end', (person) => person.send('POST', '/api/v1/auth/logout-all/')],
    ['its session ends', (person) => person.send('POST', '/api/v1/auth/logout/')],
    [
      'the password changes',
      async (person) => {
        const [session] = await person.get<{ id: string }[]>('/api/v1/auth/sessions/');
        await sql('UPDATE users SET password_hash = NULL WHERE username = $1', [person.username]);
        await person.post('/users/password/set/', { new_password: 'another one of nine words' });
        expect(await person.get('/api/v1/auth/sessions/')).toMatchObject([{ id: session!.id }]);
      },
    ],
  ])('a code that nobody has exchanged ends when %s', async (_, end) => {
    const person = await api.signUp();
    const fields = await granted(person);
    await end(person);
    const { status, body } = await form('/oauth/token/', fields);
    expect([status, body]).toMatchObject([400, { error: 'invalid_grant' }]);
  });

  it('no code outlives the end of all sessions, however they meet', async () => {
    for (let round = 0; round < rounds(60, 12, 4); round++) {
      const person = await api.signUp();
      const fields = await granted(person);
      const [exchanged] = await Promise.all([
        form('/oauth/token/', fields),
        person.send('POST', '/api/v1/auth/logout-all/'),
      ]);
      const live = await sql(
        `SELECT FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.username = $1 AND s.revoked_at IS NULL`,
        [person.username],
      );
      expect([exchanged.status, live]).toEqual([expect.any(Number), []]);
    }
  });

  it.each([
    ['nothing', {}],
    ['no redirect', { redirect_uris: [] }],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['plain http elsewhere', { redirect_uris: ['http://evil.example/'] }],
    ['a fragment', { redirect_uris: ['https://app.example/#x'] }],
    ['a password', { redirect_uris: ['https://a:b@app.example/'] }],
    ['data', { redirect_uris: ['data:text/html,x'] }],
    ['too many', { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://app.example/${at}`) }],
    ['too long', { redirect_uris: [`https://app.example/${'x'.repeat(3000)}`] }],
    ['another flow', { redirect_uris: [CALLBACK], grant_types: ['password'] }],
  ])('registering with %s is refused', async (_, metadata) => {
    const { status, body } = await postJson(`${api.baseUrl}/oauth/register/`, metadata);
    expect([status, Object.keys(body as object)]).toEqual([400, ['error', 'error_description', 'code']]);
  });

  it('names of clients are shown without tricks', async () => {
    const id = await register({ client_name: `\u202eAtrium\u0000\n<b>${'x'.repeat(150)}` });
    const [row] = await sql<{ name: string }>('SELECT name FROM oauth_clients WHERE id = $1', [id]);
    expect(row!.name).toMatch(/^Atrium<b>x{71}$/);
  });
});
