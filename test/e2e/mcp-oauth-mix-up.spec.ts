import { startApi, type TestApi } from '../support/api.js';
import { LyingMcp } from '../support/lying-mcp.js';
import { McpUser } from '../support/mcp-sign-in.js';

const PAGE = 'https://app.example/mcp/oauth/callback';
const byHand = { client_id: 'atrium', client_secret: 'by-hand-s3cret-of-32-characters!' };

/** The same server by its other name. */
function byOtherName(liar: LyingMcp): string {
  const url = liar.url.replace('127.0.0.1', 'localhost');
  liar.resource = { resource: url, authorization_servers: [liar.origin] };
  return url;
}

/** One provider that passes its users on to another, and servers that want tokens of a provider that trusts us. */
describe('providers of tool servers that are mixed up', () => {
  let api: TestApi;
  let user: McpUser;
  let liars: LyingMcp[];
  beforeAll(async () => {
    liars = await Promise.all(Array.from({ length: 6 }, () => LyingMcp.start()));
    const hosts = liars.flatMap(({ origin }) => [new URL(origin).host, `localhost:${new URL(origin).port}`]);
    const clients = {
      [liars[3]!.origin]: byHand,
      [liars[4]!.origin]: { ...byHand, resource_hosts: [`LOCALHOST:${new URL(liars[4]!.origin).port}`] },
      [liars[5]!.origin]: { ...byHand, redirect_uri: 'https://app.example/registered/here' },
    };
    api = await startApi({
      MCP_HOSTS: hosts.join(','),
      MCP_OAUTH_CLIENTS: JSON.stringify(clients),
      CORS_ORIGINS: 'https://app.example',
      LOG_LEVEL: 'fatal',
    });
  });
  // One user has ten servers at most.
  beforeEach(async () => {
    user = await McpUser.signUp(api);
  });
  afterAll(async () => {
    await api?.stop();
    await Promise.all(liars.map((one) => one.stop()));
  });

  async function begin(liar: LyingMcp, more: object = {}, url = liar.url) {
    const id = await user.addServer(url);
    const { status, body } = await user.post(`servers/${id}/oauth/start/`, more);
    const { auth_url: authUrl, state } = body as { auth_url?: string; state?: string };
    const redirectUri = authUrl ? new URL(authUrl).searchParams.get('redirect_uri')! : '';
    return { id, status, body, state, redirectUri };
  }
  const finish = (state: string | undefined, more: object = {}) =>
    user.post('oauth/callback/', { code: 'stolen', state, ...more });
  it('have an address of their own each, and a code that arrived at the other’s goes nowhere', async () => {
    const [evil, honest] = [liars[0]!, liars[1]!];
    const [one, two] = [await begin(evil), await begin(honest)];
    expect(one.redirectUri).toMatch(/^https:\/\/app\.example\/mcp\/oauth\/callback\/[\w-]{22}$/);
    expect(two.redirectUri).not.toBe(one.redirectUri);
    expect((await begin(evil)).redirectUri).toBe(one.redirectUri);
    for (const redirect_uri of [
      two.redirectUri,
      PAGE,
      `${one.redirectUri}/more`,
      'nonsense',
      'https://evil.example/',
    ]) {
      const { state, id } = await begin(evil);
      expect(await finish(state, { redirect_uri })).toMatchObject({
        status: 400,
        body: { code: 'issuer_mismatch', server: { id } },
      });
      // It is used up.
      expect(await finish(state, { redirect_uri: one.redirectUri })).toMatchObject({ body: { code: 'invalid_state' } });
    }
    expect(evil.calls.token + honest.calls.token).toBe(0);
    for (const redirect_uri of [two.redirectUri, `${two.redirectUri}/?code=x`]) {
      const { state } = await begin(honest);
      expect((await finish(state, { redirect_uri })).status).toBe(200);
    }
    expect(new URLSearchParams(honest.told.findLast(({ path }) => path === 'token')!.body).get('redirect_uri')).toBe(
      two.redirectUri,
    );
  });

  it('end a sign-in that began while they shared an address', async () => {
    for (const more of [{}, { redirect_uri: PAGE }]) {
      const { state } = await begin(liars[2]!);
      await api.database.dataSource.query('UPDATE mcp_oauth_flows SET redirect_uri = $1', [PAGE]);
      expect((await finish(state, more)).status).toBe(200);
      const sent = liars[2]!.told.findLast(({ path }) => path === 'token')!;
      expect(new URLSearchParams(sent.body).get('redirect_uri')).toBe(PAGE);
    }
  });

  it('give tokens of an application made by hand to its own hosts, to others once the person agrees', async () => {
    const liar = liars[3]!;
    expect(await begin(liar)).toMatchObject({ status: 200, redirectUri: PAGE });
    const url = byOtherName(liar);
    const { host } = new URL(url);
    const provider = new URL(liar.origin).host;
    const asked = { status: 400, body: { code: 'confirmation_required', confirm_host: host, provider } };
    for (const more of [{}, { confirm_host: '' }, { confirm_host: provider }, { confirm_host: 'localhost' }])
      expect(await begin(liar, more, url)).toMatchObject(asked);
    const { body } = await begin(liar, {}, url);
    expect((body as { detail: string }).detail).toContain(host);
    expect((await user.post('servers/discover/', { url })).body).toMatchObject({ oauth: { confirm_host: host } });
    expect(await begin(liar, { confirm_host: host }, url)).toMatchObject({ status: 200 });
  });

  it('take hosts and addresses that an administrator lists', async () => {
    const [listed, addressed] = [liars[4]!, liars[5]!];
    const own = await begin(listed);
    expect(own).toMatchObject({ status: 400, body: { code: 'confirmation_required' } });
    const { status, redirectUri } = await begin(listed, {}, byOtherName(listed));
    expect([status, redirectUri.startsWith(`${PAGE}/`)]).toEqual([200, true]);
    expect(await begin(addressed)).toMatchObject({ status: 200, redirectUri: 'https://app.example/registered/here' });
  });
});
