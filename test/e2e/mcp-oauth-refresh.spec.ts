import { McpOAuthTokens, McpTools, SignInNeededError } from '@app/mcp';
import { SealingService } from '@app/secrets';
import { startApi, type TestApi } from '../support/api.js';
import { type McpIssuer, startMcpIssuer } from '../support/mcp-issuer.js';
import { McpUser } from '../support/mcp-sign-in.js';
import { type ProtectedMcp, startProtectedMcp } from '../support/protected-mcp.js';
import { safetyNet, until } from '../support/until.js';
import { inAll } from '../support/long.js';

describe('tokens of a tool server whose provider takes a second use of a refresh token for theft', () => {
  let api: TestApi;
  let replica: TestApi;
  let issuer: McpIssuer;
  let tools: ProtectedMcp;
  let user: McpUser;
  let userId: number;
  let id: number;
  beforeAll(async () => {
    issuer = await startMcpIssuer();
    tools = await startProtectedMcp(issuer);
    api = await startApi({ MCP_HOSTS: '127.0.0.1', CORS_ORIGINS: 'https://app.example', LOG_LEVEL: 'fatal' });
    replica = await api.startReplica();
    user = await McpUser.signUp(api);
  });
  beforeEach(async () => {
    id = await user.addServer(tools.url);
    const { server } = await user.signIn(id);
    userId = (server as unknown as { user: number }).user;
  });
  afterEach(async () => {
    issuer.hold = null;
    issuer.down = false;
    await user.send('DELETE', `servers/${id}/`);
  });
  afterAll(async () => {
    await replica?.app.close();
    await api?.stop();
    await tools?.stop();
    await issuer?.stop();
  });

  const refreshes = () => issuer.bodies.filter(({ body }) => body.includes('grant_type=refresh_token')).length;
  const expire = () =>
    api.database.dataSource.query(
      `UPDATE mcp_oauth_grants SET expires_at = now() - interval '1 second', refresh_at = now() - interval '1 minute'
       WHERE server_id = $1`,
      [id],
    );
  const age = () =>
    api.database.dataSource.query(
      `UPDATE mcp_oauth_grants SET obtained_at = now() - interval '1 minute' WHERE server_id = $1`,
      [id],
    );
  const tokenOf = (at: TestApi) =>
    at.app.get(McpOAuthTokens).accessToken({ id, userId, url: tools.url }, { signal: safetyNet() });
  const openRefreshToken = async () => {
    const [{ id: grantId, sealed }] = await api.database.dataSource.query<[{ id: string; sealed: Buffer }]>(
      'SELECT id, refresh_token_sealed AS sealed FROM mcp_oauth_grants WHERE server_id = $1',
      [id],
    );
    const place = { table: 'mcp_oauth_grants', column: 'refresh_token_sealed', row: grantId };
    return api.app.get(SealingService).openText(sealed, place);
  };
  const twentyTests = () => {
    const both = [user, user.at(replica)];
    return Promise.all(Array.from({ length: 20 }, (_, index) => both[index % 2]!.test(id)));
  };

  inAll('are renewed once for twenty calls of two apis with an expired one, and no grant is lost', async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = refreshes();
      await expire();
      const probes = await twentyTests();
      expect(probes.map(({ ok, error }) => ({ ok, error }))).toEqual(probes.map(() => ({ ok: true, error: '' })));
      expect(refreshes() - before).toBe(1);
    }
    expect(issuer.revokedGrants()).toBe(0);
  });

  it('are renewed once for twenty calls that the server refuses', async () => {
    const before = refreshes();
    const revoked = issuer.revokedGrants();
    await age();
    const token = tools.tokens.at(-1) ?? '';
    await (await issuer.provider.AccessToken.find(token))?.destroy();
    const probes = await twentyTests();
    expect(probes.every(({ ok }) => ok)).toBe(true);
    expect(refreshes() - before).toBe(1);
    expect(issuer.revokedGrants()).toBe(revoked);
  });

  it('are renewed once although the provider takes its time, and although a caller goes away', async () => {
    const before = refreshes();
    const { generation } = await grantRow();
    await expire();
    const { promise, resolve } = Promise.withResolvers<void>();
    issuer.hold = promise;
    const gone = new AbortController();
    const first = api.app
      .get(McpOAuthTokens)
      .accessToken({ id, userId, url: tools.url }, { signal: gone.signal })
      .catch((error: unknown) => error);
    await until(async () => (await grantRow()).lease_until !== null);
    const others = [tokenOf(api), tokenOf(replica), tokenOf(replica)];
    gone.abort(new Error('gone'));
    expect(await first).toEqual(new Error('gone'));
    resolve();
    issuer.hold = null;
    const tokens = await Promise.all(others);
    expect(new Set(tokens).size).toBe(1);
    expect(refreshes() - before).toBe(1);
    expect((await grantRow()).generation).toBe(generation + 1);
  });

  inAll('are taken over from a process that was lost before it asked', async () => {
    const before = refreshes();
    await expire();
    await api.database.dataSource.query(
      `UPDATE mcp_oauth_grants SET lease_until = now() + interval '2 seconds' WHERE server_id = $1`,
      [id],
    );
    expect(new Set(await Promise.all([tokenOf(api), tokenOf(replica)])).size).toBe(1);
    expect(refreshes() - before).toBe(1);
  });

  it('survive a database that is away when they come', async () => {
    const revoked = issuer.revokedGrants();
    await expire();
    const { promise, resolve } = Promise.withResolvers<void>();
    issuer.hold = promise;
    const waiting = tokenOf(api);
    await until(async () => (await grantRow()).lease_until !== null);
    await api.database.dataSource.query(`ALTER TABLE mcp_oauth_grants RENAME TO mcp_oauth_grants_away`);
    resolve();
    issuer.hold = null;
    await new Promise((done) => setTimeout(done, 500));
    await api.database.dataSource.query(`ALTER TABLE mcp_oauth_grants_away RENAME TO mcp_oauth_grants`);
    const token = await waiting;
    expect(await tokenOf(replica)).toBe(token);
    expect(issuer.revokedGrants()).toBe(revoked);
  });

  it('ask for a sign-in when the provider does not honour the grant, and only then', async () => {
    const revoked = issuer.revokedGrants();
    await expire();
    issuer.down = true;
    const down = await user.test(id);
    expect(down).toMatchObject({ ok: false, needs_reauth: false });
    issuer.down = false;
    await api.database.dataSource.query('UPDATE mcp_oauth_grants SET retry_at = NULL WHERE server_id = $1', [id]);
    expect(await user.test(id)).toMatchObject({ ok: true });

    // A thief uses the refresh token: the next use of it is ours, and ends the grant.
    const stolen = await openRefreshToken();
    const [client] = await api.database.dataSource.query<[{ client_id: string; secret: Buffer; id: string }]>(
      'SELECT id, client_id, client_secret_sealed AS secret FROM mcp_oauth_clients WHERE retired_at IS NULL',
    );
    const secretPlace = { table: 'mcp_oauth_clients', column: 'client_secret_sealed', row: client.id };
    const secret = api.app.get(SealingService).openText(client.secret, secretPlace);
    const basic = Buffer.from(`${encodeURIComponent(client.client_id)}:${encodeURIComponent(secret)}`).toString(
      'base64',
    );
    const theft = await fetch(`${issuer.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: stolen, resource: tools.url }),
    });
    expect(theft.status).toBe(200);
    await expire();
    const probes = await twentyTests();
    expect(probes.every(({ ok, needs_reauth }) => !ok && needs_reauth)).toBe(true);
    expect(issuer.revokedGrants()).toBe(revoked + 1);
    expect(await user.server(id)).toMatchObject({ status: 'needs_reauth' });
    expect(await user.signIn(id)).toMatchObject({ ok: true, server: { status: 'ok' } });
  });

  it('go on being used while the provider is down and they are good', async () => {
    await api.database.dataSource.query(`UPDATE mcp_oauth_grants SET refresh_at = now() WHERE server_id = $1`, [id]);
    issuer.down = true;
    const token = await tokenOf(api);
    expect(tools.tokens).toContain(token);
  });

  it('go to no other origin, and to no other user', async () => {
    const tokens = api.app.get(McpOAuthTokens);
    for (const server of [
      { id, userId, url: 'https://elsewhere.example/mcp' },
      { id, userId, url: tools.url.replace('127.0.0.1', 'localhost') },
      { id, userId: userId + 1, url: tools.url },
    ])
      await expect(tokens.accessToken(server, { signal: safetyNet() })).rejects.toThrow(SignInNeededError);
  });

  it('are asked for with more scopes once the server wants more', async () => {
    const tokens = api.app.get(McpOAuthTokens);
    const accessToken = await tokenOf(api);
    const refuse = (scope: string, error: string) => {
      const challenge = `Bearer error="${error}", scope="${scope}"`;
      const refusal = { status: 403 as const, challenge, accessToken };
      return tokens.refused({ id, userId, url: tools.url }, refusal, { signal: safetyNet() });
    };
    // What is granted already, or was not asked for, leads to no sign-in.
    expect(await refuse('tools:read', 'insufficient_scope')).toBe(false);
    expect(await refuse('tools:write', 'forbidden')).toBe(false);
    expect(await user.server(id)).toMatchObject({ status: 'ok' });

    const write = () =>
      api.app.get(McpTools).callOn(userId, { server: slug, tool: 'write' }, {}, { signal: safetyNet() });
    const { slug } = (await user.server(id)) as unknown as { slug: string };
    await expect(write()).rejects.toMatchObject({ code: 'mcp_sign_in_needed' });
    const asking = await user.server(id);
    expect(asking).toMatchObject({ status: 'needs_reauth', required_scopes: 'tools:read tools:write' });
    expect(asking.last_error).toContain('tools:write');
    const { scopes } = await user.start(id);
    expect([...scopes].sort()).toEqual(['offline_access', 'tools:read', 'tools:write']);
    const { server } = await user.signIn(id);
    expect(server.granted_scopes.split(' ')).toContain('tools:write');
    expect(await write()).toMatchObject({ isError: false });
  });

  async function grantRow(): Promise<{ generation: number; lease_until: Date | null }> {
    const [row] = await api.database.dataSource.query<[{ generation: number; lease_until: Date | null }]>(
      'SELECT generation, lease_until FROM mcp_oauth_grants WHERE server_id = $1',
      [id],
    );
    return row;
  }
});
