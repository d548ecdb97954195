import { startApi, type TestApi } from '../support/api.js';
import { Browser } from '../support/browser.js';
import { type McpIssuer, startMcpIssuer } from '../support/mcp-issuer.js';
import { McpUser, type ServerBody } from '../support/mcp-sign-in.js';
import { type ProtectedMcp, startProtectedMcp } from '../support/protected-mcp.js';
import { inAll } from '../support/long.js';

describe('sign-in to a tool server', () => {
  let api: TestApi;
  let issuer: McpIssuer;
  let tools: ProtectedMcp;
  let user: McpUser;
  beforeAll(async () => {
    issuer = await startMcpIssuer();
    tools = await startProtectedMcp(issuer);
    api = await startApi({
      MCP_HOSTS: '127.0.0.1',
      CORS_ORIGINS: 'https://app.example',
      LOG_LEVEL: 'fatal',
    });
    user = await McpUser.signUp(api);
  });
  afterAll(async () => {
    await api?.stop();
    await tools?.stop();
    await issuer?.stop();
  });

  it('is discovered', async () => {
    const { status, body } = await user.post('servers/discover/', { url: tools.url });
    expect(status).toBe(200);
    expect(body).toEqual({
      oauth: {
        available: true,
        provider: new URL(issuer.url).host,
        scopes: ['tools:read', 'offline_access'],
        default_scopes: ['tools:read', 'offline_access'],
        dynamic_registration: true,
        needs_admin: false,
        error: null,
        registration: 'dynamic',
        issuer: issuer.url,
        resource: tools.url,
        protocol_version: null,
        confirm_host: null,
        redirect_uri: expect.stringMatching(/^https:\/\/app\.example\/mcp\/oauth\/callback\/[\w-]{22}$/) as string,
      },
    });
  });

  it('registers, asks with PKCE and for this server alone, keeps the tokens, and tests', async () => {
    const id = await user.addServer(tools.url);
    expect(await user.server(id)).toMatchObject({ status: 'needs_reauth', oauth_provider: null });
    expect(await user.test(id)).toMatchObject({ ok: false, needs_reauth: true });
    const { auth_url, scopes } = await user.start(id);
    const asked = Object.fromEntries(new URL(auth_url).searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: tools.url,
      scope: 'tools:read offline_access',
      redirect_uri: expect.stringMatching(/^https:\/\/app\.example\/mcp\/oauth\/callback\/[\w-]{22}$/) as string,
    });
    expect(scopes).toEqual(['tools:read', 'offline_access']);
    const probe = await user.signIn(id);
    expect(probe).toMatchObject({ ok: true, needs_reauth: false, error: '', tool_names: ['read', 'write'] });
    expect(probe.server).toMatchObject({ status: 'ok', oauth_provider: new URL(issuer.url).host });
    expect(probe.server.granted_scopes.split(' ')).toContain('tools:read');
    const left = new Date(probe.server.token_expires_at ?? 0).getTime() - Date.now();
    expect(left).toBeGreaterThan(570_000);
    expect(left).toBeLessThanOrEqual(600_000);
    const forTokens = issuer.bodies
      .filter(({ path }) => path === '/token')
      .map(({ body }) => new URLSearchParams(body));
    expect(forTokens.at(-1)?.get('resource')).toBe(tools.url);
    // One registration serves every sign-in. The provider refused the first, which named scopes of the resource.
    expect(issuer.calls['/reg']).toBe(2);
  });

  it('uses a state once, however many come with it', async () => {
    const id = await user.addServer(tools.url);
    const returned = await user.goAndReturn(id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => user.post('oauth/callback/', returned)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body).toEqual({ detail: expect.any(String) as string, code: 'invalid_state' });
  });

  it('knows no state of another user, nor an expired one, nor one of a server that was changed', async () => {
    const other = await McpUser.signUp(api);
    const id = await user.addServer(tools.url);
    const unknown = await other.post('oauth/callback/', { code: 'any', state: 'x'.repeat(43) });
    const returned = await user.goAndReturn(id);
    expect(await other.post('oauth/callback/', returned)).toMatchObject({ status: 400, body: unknown.body });
    expect(await user.post('oauth/callback/', returned)).toMatchObject({ status: 200 });

    const late = await user.goAndReturn(id);
    await api.database.dataSource.query(`UPDATE mcp_oauth_flows SET expires_at = now() - interval '1 second'`);
    expect(await user.post('oauth/callback/', late)).toMatchObject({ status: 400, body: unknown.body });

    const changed = await user.goAndReturn(id);
    await user.send('PUT', `servers/${id}/`, { url: `${tools.url}/` });
    expect(await user.post('oauth/callback/', changed)).toMatchObject({ status: 400, body: unknown.body });
    expect((await other.post(`servers/${id}/oauth/start/`)).status).toBe(404);
  });

  it('refuses what comes from another issuer, and a missing one where it is promised', async () => {
    const id = await user.addServer(tools.url);
    const asked = issuer.calls['/token'];
    for (const iss of ['https://evil.example', `${issuer.url}/`, undefined]) {
      const { code, state } = await user.goAndReturn(id);
      const answer = await user.post('oauth/callback/', { code, state, ...(iss ? { iss } : {}) });
      expect(answer).toMatchObject({ status: 400, body: { code: 'issuer_mismatch', server: { id } } });
      expect((await user.post('oauth/callback/', { code, state, iss: issuer.url })).status).toBe(400);
    }
    expect(issuer.calls['/token']).toBe(asked);
  });

  it('shows the server with a code that the provider rejects', async () => {
    const id = await user.addServer(tools.url);
    const { state, iss } = await user.goAndReturn(id);
    const answer = await user.post('oauth/callback/', { code: 'wrong', state, iss });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'code_rejected', server: { id, status: 'needs_reauth' } },
    });
    expect((answer.body as { detail: string }).detail).toContain('invalid_grant');
  });

  it('asks for the scopes that are chosen, of those that there are', async () => {
    const id = await user.addServer(tools.url);
    expect((await user.start(id, ['tools:read'])).scopes).toEqual(['tools:read']);
    const refused = await user.post(`servers/${id}/oauth/start/`, { scopes: ['tools:read', 'admin'] });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_scope' } });
  });

  it('is for servers whose auth_type says so, and that offer it', async () => {
    const created = await user.post('servers/', { label: 'Open', url: tools.url });
    const { id } = created.body as ServerBody;
    const answer = await user.post(`servers/${id}/oauth/start/`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'sign_in_not_selected' } });
    await user.send('DELETE', `servers/${id}/`);
  });

  inAll('revokes with the provider when the server is deleted, or moves', async () => {
    const deleted = await user.addServer(tools.url);
    await user.signIn(deleted);
    const token = tools.tokens.at(-1) ?? '';
    expect(await issuer.provider.AccessToken.find(token)).toBeDefined();
    expect((await user.send('DELETE', `servers/${deleted}/`)).status).toBe(200);
    expect(await issuer.provider.AccessToken.find(token)).toBeUndefined();

    const moved = await user.addServer(tools.url);
    await user.signIn(moved);
    const before = tools.tokens.at(-1) ?? '';
    const { body } = await user.send('PUT', `servers/${moved}/`, { url: `${tools.url}?other=1` });
    expect(body).toMatchObject({
      status: 'needs_reauth',
      granted_scopes: '',
      token_expires_at: null,
      oauth_provider: null,
    });
    expect(await issuer.provider.AccessToken.find(before)).toBeUndefined();
    const rows = await api.database.dataSource.query(
      'SELECT id FROM mcp_oauth_grants WHERE server_id IS NULL OR server_id = ANY($1)',
      [[deleted, moved]],
    );
    expect(rows).toEqual([]);
  });

  it('keeps no token, code, state, verifier or client secret in clear', async () => {
    const id = await user.addServer(tools.url);
    const { auth_url, state } = await user.start(id);
    const returned = await new Browser(api.baseUrl).signInAt(auth_url, 'ada');
    await user.post('oauth/callback/', returned);
    const pending = await user.start(id);
    const dump = JSON.stringify([
      await api.database.dataSource.query('SELECT * FROM mcp_oauth_clients'),
      await api.database.dataSource.query('SELECT * FROM mcp_oauth_flows'),
      await api.database.dataSource.query('SELECT * FROM mcp_oauth_grants'),
      await api.database.dataSource.query('SELECT * FROM mcp_servers'),
      await api.database.dataSource.query('SELECT event FROM audit_inbox'),
      await api.database.dataSource.query('SELECT personal FROM audit_events'),
    ]);
    const secrets = [...tools.tokens, state, pending.state, returned.code];
    for (const secret of secrets) {
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(JSON.stringify(Buffer.from(secret)).slice(30, -2));
    }
  });
});
