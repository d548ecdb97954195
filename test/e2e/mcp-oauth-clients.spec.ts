import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { call, startApi, type TestApi } from '../support/api.js';
import { freePort } from '../support/free-port.js';
import { type McpIssuer, startMcpIssuer } from '../support/mcp-issuer.js';
import { McpUser } from '../support/mcp-sign-in.js';
import { startProtectedMcp } from '../support/protected-mcp.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

const PUBLIC_URL = 'https://atrium.example';
const SETTINGS = { MCP_HOSTS: '127.0.0.1,localhost', CORS_ORIGINS: 'https://app.example', LOG_LEVEL: 'fatal' };

describe('this deployment as an application at the providers of tool servers', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function start(settings: Record<string, string> = {}): Promise<{ api: TestApi; user: McpUser }> {
    const api = await startApi({ ...SETTINGS, ...settings });
    ends.push(() => api.stop());
    return { api, user: await McpUser.signUp(api) };
  }

  async function protect(issuer: McpIssuer): Promise<string> {
    const tools = await startProtectedMcp(issuer);
    ends.push(
      () => issuer.stop(),
      () => tools.stop(),
    );
    return tools.url;
  }

  it('is known by the document that it publishes', async () => {
    const { api, user } = await start({ PUBLIC_URL });
    let path = '';
    const fetchClient = async (url: string) => {
      expect(url).toMatch(/^https:\/\/atrium\.example\/mcp-servers\/oauth\/client-metadata\/[\w-]{22}\.json$/);
      path = url.slice(PUBLIC_URL.length);
      const { status, headers, body } = await call(api.baseUrl + path);
      return new Response(JSON.stringify(body), {
        status,
        headers: { 'content-type': String(headers.get('content-type')) },
      });
    };
    const issuer = await startMcpIssuer({ fetchClient });
    const id = await user.addServer(await protect(issuer));
    const { body } = await user.post('servers/discover/', {
      url: ((await user.server(id)) as unknown as { url: string }).url,
    });
    expect(body).toMatchObject({
      oauth: { available: true, registration: 'client_metadata', dynamic_registration: true },
    });
    expect(await user.signIn(id)).toMatchObject({ ok: true });
    const sent = issuer.bodies.findLast(({ path: one }) => one === '/token');
    expect(new URLSearchParams(sent?.body).get('client_id')).toBe(PUBLIC_URL + path);
    expect(issuer.calls['/reg']).toBeUndefined();
    const { headers, body: document } = await call(api.baseUrl + path);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    expect(document).toEqual({
      client_id: PUBLIC_URL + path,
      client_name: 'Atrium',
      client_uri: PUBLIC_URL,
      redirect_uris: [`https://app.example/mcp/oauth/callback/${path.slice(-27, -5)}`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
    });
    const former = await call(`${api.baseUrl}/mcp-servers/oauth/client-metadata.json`);
    expect(former.body).toMatchObject({ redirect_uris: ['https://app.example/mcp/oauth/callback'] });
    for (const wrong of ['x.json', '..%2f..json', `${'a'.repeat(22)}.js`, `${'a'.repeat(23)}.json`])
      expect((await call(`${api.baseUrl}/mcp-servers/oauth/client-metadata/${wrong}`)).status).toBe(404);
  });

  inAll('is known by what an administrator registered, and else needs one', async () => {
    const client = { client_id: 'atrium', client_secret: 'by-hand-s3cret-of-32-characters!' };
    const redirect_uris = ['https://app.example/mcp/oauth/callback'];
    const known = await startMcpIssuer({ registration: false, clients: [{ ...client, redirect_uris }] });
    const unknown = await startMcpIssuer({ registration: false });
    const { api, user } = await start({ MCP_OAUTH_CLIENTS: JSON.stringify({ [known.url]: client }) });
    expect((await call(`${api.baseUrl}/mcp-servers/oauth/client-metadata.json`)).status).toBe(404);

    const id = await user.addServer(await protect(known));
    expect(await user.signIn(id)).toMatchObject({ ok: true });
    const { url } = (await user.server(id)) as unknown as { url: string };
    const { body } = await user.post('servers/discover/', { url });
    expect(body).toMatchObject({ oauth: { available: true, registration: 'preregistered', needs_admin: false } });

    const other = await user.addServer(await protect(unknown));
    const { url: otherUrl } = (await user.server(other)) as unknown as { url: string };
    const found = await user.post('servers/discover/', { url: otherUrl });
    expect(found.body).toMatchObject({
      oauth: { available: false, needs_admin: true, registration: 'none', error: null },
    });
    const refused = await user.post(`servers/${other}/oauth/start/`);
    expect(refused).toMatchObject({ status: 400, body: { code: 'needs_admin' } });
  });

  it("signs in to the SDK's own OAuth example", async () => {
    const [port, authPort] = [await freePort(), await freePort()];
    const script = join(
      process.cwd(),
      'node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js',
    );
    const example = spawn(process.execPath, [script, '--oauth', '--oauth-strict'], {
      env: { ...process.env, MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) },
      stdio: 'ignore',
    });
    ends.push(() => new Promise((done) => (example.once('exit', done), example.kill('SIGKILL'))));
    const url = `http://localhost:${port}/mcp`;
    const isUp = () =>
      call(url, { method: 'POST' }).then(
        ({ status }) => status === 401,
        () => false,
      );
    await until(isUp);
    const { user } = await start();
    const id = await user.addServer(url);
    expect(await user.test(id)).toMatchObject({ ok: false, needs_reauth: true });
    const probe = await user.signIn(id);
    expect(probe).toMatchObject({ ok: true, error: '' });
    expect(probe.tool_names).toContain('greet');
    expect(probe.server).toMatchObject({
      status: 'ok',
      granted_scopes: 'mcp:tools',
      oauth_provider: `localhost:${authPort}`,
    });
  });
});
