import { randomBytes } from 'node:crypto';
import { type TestApi, startApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import type { HttpClient } from '../support/http-client.js';
import { type EverythingServer, startEverything } from '../support/mcp-everything.js';
import { OddServer } from '../support/mcp-odd-server.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

interface ServerBody extends Record<string, unknown> {
  id: number;
  slug: string;
  status: string;
  last_error: string;
  tool_names: string[];
}
interface ProbeBody {
  ok: boolean;
  error: string;
  needs_reauth: boolean;
  tool_count: number;
  tool_names: string[];
  latency_ms: number;
  server: ServerBody | null;
}

const SERVERS = '/mcp-servers/servers/';
const SECRET = `secret-${randomBytes(12).toString('hex')}`;

const test = (client: HttpClient, id: number) => client.post<ProbeBody>(`${SERVERS}${id}/test/`, {});

const put = async (client: HttpClient, id: number, fields: object) => {
  const response = await client.send('PUT', `${SERVERS}${id}/`, fields);
  return { status: response.status, body: (await response.json()) as ServerBody };
};

const refused = async (client: HttpClient, path: string, body: object) => {
  const response = await client.send('POST', path, body);
  return { status: response.status, ...((await response.json()) as { detail: string; code: string }) };
};

describe('connected tool servers', () => {
  let api: TestApi;
  let odd: OddServer;
  let everything: EverythingServer;
  let sse: EverythingServer;

  beforeAll(async () => {
    [odd, everything, sse] = await Promise.all([
      OddServer.start(),
      startEverything('streamableHttp'),
      startEverything('sse'),
    ]);
    api = await startApi({ MCP_HOSTS: [odd.host, everything.host, sse.host].join(',') });
  });

  afterAll(async () => {
    await api.stop();
    await Promise.all([odd.stop(), everything.stop(), sse.stop()]);
  });

  beforeEach(() => {
    odd.tools = [{ name: 'one' }, { name: 'two' }];
    odd.intercept = null;
  });

  const create = (client: HttpClient, fields: object = {}) =>
    client.post<ServerBody>(SERVERS, { label: 'Odd', url: odd.url, ...fields });

  it('are kept as the contract says', async () => {
    const owner = await api.signUp();
    const made = await create(owner, { label: ' My  Träcker! ', auth_type: 'bearer', secret: SECRET });
    expect(made).toEqual({
      id: expect.any(Number) as number,
      label: 'My  Träcker!',
      slug: 'my_tracker',
      url: odd.url,
      auth_type: 'bearer',
      auth_header_name: '',
      has_secret: true,
      enabled: true,
      status: 'untested',
      last_ok_at: null,
      last_error: '',
      tool_count: 0,
      tool_names: [],
      tools_waiting: 0,
      tools_note: '',
      granted_scopes: '',
      required_scopes: '',
      token_expires_at: null,
      oauth_provider: null,
      transport: null,
      protocol_version: '',
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
      user: expect.any(Number) as number,
    });
    const second = await create(owner, { label: 'my tracker', auth_type: 'oauth' });
    expect(second).toMatchObject({ slug: 'my_tracker_2', status: 'needs_reauth' });
    expect((await owner.get<ServerBody[]>(SERVERS)).map(({ id }) => id)).toEqual([second.id, made.id]);
    expect(await owner.get(`${SERVERS}${made.id}/`)).toEqual(made);
    const renamed = await put(owner, made.id, { label: 'Other', enabled: false });
    expect(renamed.body).toMatchObject({
      label: 'Other',
      slug: 'my_tracker',
      enabled: false,
      has_secret: true,
      status: 'untested',
    });
    const deleted = await owner.send('DELETE', `${SERVERS}${made.id}/`);
    expect([deleted.status, await deleted.json()]).toEqual([200, { message: 'The server has been deleted.' }]);
    expect((await owner.send('GET', `${SERVERS}${made.id}/`)).status).toBe(404);
    expect(await auditedActions(api.database.dataSource)).toEqual(
      expect.arrayContaining(['mcp_server.created', 'mcp_server.updated', 'mcp_server.deleted']) as string[],
    );
  });

  it.each([
    [{ label: '  ' }, 'mcp_label_required'],
    [{ label: undefined }, 'mcp_label_required'],
    [{ url: undefined }, 'mcp_url_not_https'],
    [{ url: 'http://tools.example/mcp' }, 'mcp_url_not_https'],
    [{ url: 'ftp://tools.example/mcp' }, 'mcp_url_not_https'],
    [{ url: 'https://127.0.0.1/mcp' }, 'mcp_address_blocked'],
    [{ url: 'https://[::ffff:10.0.0.1]/mcp' }, 'mcp_address_blocked'],
    [{ url: 'https://localhost/mcp' }, 'mcp_address_blocked'],
    [{ url: 'https://user:pw@tools.example/mcp' }, 'mcp_address_blocked'],
    [{ url: 'https://tools.example:22/mcp' }, 'mcp_address_blocked'],
    [{ auth_type: 'header' }, 'mcp_header_name_required'],
    [{ auth_type: 'header', auth_header_name: 'Host' }, 'mcp_header_name_invalid'],
    [{ auth_type: 'header', auth_header_name: 'content-length' }, 'mcp_header_name_invalid'],
    [{ auth_type: 'header', auth_header_name: 'Transfer-Encoding' }, 'mcp_header_name_invalid'],
    [{ auth_type: 'header', auth_header_name: 'mcp-session-id' }, 'mcp_header_name_invalid'],
    [{ auth_type: 'header', auth_header_name: 'X-Key\r\nHost: evil' }, 'mcp_header_name_invalid'],
    [{ auth_type: 'header', auth_header_name: 'X Key' }, 'mcp_header_name_invalid'],
    [{ auth_type: 'bearer', secret: 'a\r\nHost: evil' }, 'mcp_secret_invalid'],
    [{ auth_type: 'bearer', secret: 'schlüssel' }, 'mcp_secret_invalid'],
    [{ label: 'x'.repeat(101) }, 'mcp_label_too_long'],
  ])('refuse %j with %s', async (fields, code) => {
    const owner = await api.signUp();
    const answer = await refused(owner, SERVERS, { label: 'Odd', url: odd.url, ...fields });
    expect(answer).toMatchObject({ status: 400, code, detail: expect.stringMatching(/^[A-Z].*\.$/) as string });
    expect(await owner.get(SERVERS)).toEqual([]);
  });

  it('are at most ten, and never two of one slug, however many are made at once', async () => {
    const owner = await api.signUp();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => owner.send('POST', SERVERS, { label: 'Same', url: odd.url })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    const losers = await Promise.all(answers.filter(({ status }) => status === 400).map((answer) => answer.json()));
    expect(losers).toHaveLength(20);
    for (const loser of losers) expect(loser).toMatchObject({ code: 'mcp_limit_reached' });
    const slugs = (await owner.get<ServerBody[]>(SERVERS)).map(({ slug }) => slug);
    expect(new Set(slugs)).toEqual(new Set(['same', ...Array.from({ length: 9 }, (_, n) => `same_${n + 2}`)]));
  });

  it('of others do not exist', async () => {
    const [owner, stranger] = [await api.signUp(), await api.signUp()];
    const { id } = await create(owner);
    for (const [method, path] of [
      ['GET', `${id}/`],
      ['PUT', `${id}/`],
      ['DELETE', `${id}/`],
      ['POST', `${id}/test/`],
      ['GET', `${id}/tools/`],
      ['POST', `${id}/tools/accept/`],
      ['GET', `${id}/resources/`],
      ['GET', `${id}/prompts/`],
    ] as const) {
      const response = await stranger.send(
        method,
        SERVERS + path,
        method === 'GET' || method === 'DELETE' ? undefined : { all: true },
      );
      expect([method, path, response.status]).toEqual([method, path, 404]);
    }
    const response = await stranger.send('POST', `${SERVERS}test/`, { id, url: odd.url });
    expect(response.status).toBe(404);
    expect(await stranger.get(SERVERS)).toEqual([]);
  });

  const tested = async (fields: object) => {
    const owner = await api.signUp();
    const { id } = await create(owner, fields);
    expect((await test(owner, id)).ok).toBe(true);
    return { owner, id };
  };

  describe('when tested', () => {
    it('list the tools of the reference server by Streamable HTTP', async () => {
      const owner = await api.signUp();
      const { id } = await create(owner, { label: 'Everything', url: everything.url });
      const probe = await test(owner, id);
      expect(probe).toMatchObject({ ok: true, error: '', needs_reauth: false });
      expect(probe.tool_names).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']) as string[]);
      expect(probe.tool_count).toBe(probe.tool_names.length);
      expect(probe.tool_names).not.toContain('simulate-research-query');
      expect(probe.server).toMatchObject({
        tools_note: '1 of the listed tools can only be called as tasks, and are left out.',
      });
      expect(probe.server).toMatchObject({
        status: 'ok',
        tool_count: probe.tool_count,
        tool_names: probe.tool_names,
        transport: 'streamable_http',
        protocol_version: '2025-11-25',
        tools_waiting: 0,
        last_error: '',
      });
      expect(await owner.get(`${SERVERS}${id}/`)).toEqual(probe.server);
    });

    it('list them by the older transport', async () => {
      const owner = await api.signUp();
      const { id } = await create(owner, { label: 'Everything', url: sse.url });
      for (let time = 0; time < 2; time += 1) {
        const { ok, tool_names: names, server } = await test(owner, id);
        expect(ok).toBe(true);
        expect(names).toContain('echo');
        expect(server).toMatchObject({ status: 'ok', transport: 'sse' });
      }
    });

    it('send what proves the right, and nothing to others', async () => {
      const owner = await api.signUp();
      const bearer = await create(owner, { auth_type: 'bearer', secret: SECRET });
      const header = await create(owner, { auth_type: 'header', auth_header_name: 'X-Api-Key', secret: SECRET });
      const none = await create(owner, { secret: SECRET });
      expect(none).toMatchObject({ has_secret: false });
      for (const [server, name, value] of [
        [bearer, 'authorization', `Bearer ${SECRET}`],
        [header, 'x-api-key', SECRET],
        [none, 'authorization', undefined],
      ] as const) {
        odd.requests.length = 0;
        expect((await test(owner, server.id)).ok).toBe(true);
        expect(odd.requests.length).toBeGreaterThan(2);
        for (const { headers } of odd.requests) expect(headers[name]).toBe(value);
      }
      const [row] = await api.database.dataSource.query<[{ text: string }]>(
        'SELECT mcp_servers::text AS text FROM mcp_servers WHERE id = $1',
        [bearer.id],
      );
      expect(row.text).not.toContain(Buffer.from(SECRET).toString('hex'));
    });

    it.each<[string, number, object, string]>([
      ['error', 401, { auth_type: 'bearer', secret: SECRET }, 'refuses'],
      ['error', 403, { auth_type: 'header', auth_header_name: 'x-key', secret: SECRET }, 'refuses'],
      ['error', 401, {}, 'wants a token'],
      ['error', 500, {}, 'status 500'],
      ['error', 200, {}, 'not as a tool server'],
      ['error', 302, {}, 'redirects'],
    ])('are %s after status %i', async (status, code, fields, words) => {
      const owner = await api.signUp();
      const { id } = await create(owner, fields);
      odd.intercept = (_, response) => {
        const said = `You sent ${SECRET} to 10.1.2.3`;
        response.writeHead(code, {
          'content-type': 'text/html',
          location: 'http://10.1.2.3/',
          'www-authenticate': `Bearer error="${SECRET}"`,
        });
        response.end(said);
        return true;
      };
      const probe = await test(owner, id);
      expect(probe).toMatchObject({ ok: false, needs_reauth: false, tool_count: 0, tool_names: [] });
      expect(probe.error).toContain(words);
      expect(probe.server).toMatchObject({ status, last_error: probe.error });
      expect(JSON.stringify(probe)).not.toMatch(/secret-|10\.1\.2\.3/);
    });

    it('do not repeat a secret that the server says', async () => {
      const owner = await api.signUp();
      const { id } = await create(owner, { auth_type: 'bearer', secret: SECRET });
      odd.intercept = (_, response, body) => {
        const { id: number } = JSON.parse(body) as { id: number };
        const error = { code: -32_000, message: `Unknown key ${SECRET} ${'x'.repeat(5000)}` };
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: number, error }));
        return true;
      };
      const { error } = await test(owner, id);
      expect(error).toMatch(/^The server says: Unknown key \*\*\* x+$/);
      expect(error.length).toBeLessThanOrEqual(500);
    });

    it('are needs_reauth where nobody has signed in', async () => {
      const owner = await api.signUp();
      const { id } = await create(owner, { auth_type: 'oauth' });
      expect(await test(owner, id)).toMatchObject({
        ok: false,
        needs_reauth: true,
        server: { status: 'needs_reauth' },
      });
    });

    inAll('end in time when the server says nothing', async () => {
      const owner = await api.signUp();
      const { id } = await create(owner);
      odd.intercept = () => true;
      const took = stopwatch();
      const probe = await test(owner, id);
      expect(probe).toMatchObject({
        ok: false,
        error: 'The server did not answer in time.',
        server: { status: 'error' },
      });
      expect(took()).toBeLessThan(23_000);
      expect(probe.latency_ms).toBeGreaterThan(19_000);
    });

    it('are error at a blocked, an unknown and a dead address', async () => {
      const owner = await api.signUp();
      const { id } = await create(owner);
      const at = async (url: string) => {
        await api.database.dataSource.query('UPDATE mcp_servers SET url = $2 WHERE id = $1', [id, url]);
        return test(owner, id);
      };
      expect(await at('https://127.0.0.1/mcp')).toMatchObject({ ok: false, server: { status: 'error' } });
      const { error } = await at('https://localhost/mcp');
      expect(error).toBe('The host is not on the public internet, and this deployment does not list it.');
      expect(await at('https://nowhere.invalid/mcp')).toMatchObject({ ok: false, server: { status: 'error' } });
    });
  });

  describe('when changed', () => {
    it('lose what was found out, and keep the list', async () => {
      const { owner, id } = await tested({ auth_type: 'bearer', secret: SECRET });
      expect((await put(owner, id, { label: 'Same', enabled: false, url: odd.url })).body.status).toBe('ok');
      expect((await put(owner, id, { secret: `${SECRET}2` })).body).toMatchObject({
        status: 'untested',
        tool_names: ['one', 'two'],
        has_secret: true,
      });
      await test(owner, id);
      expect((await put(owner, id, { auth_type: 'header', auth_header_name: 'x-key' })).body).toMatchObject({
        status: 'untested',
        has_secret: true,
      });
      await test(owner, id);
      expect((await put(owner, id, { auth_header_name: 'x-other' })).body.status).toBe('untested');
      expect((await put(owner, id, { auth_type: 'oauth' })).body).toMatchObject({
        status: 'needs_reauth',
        has_secret: false,
      });
    });

    it('forget the secret with its address', async () => {
      const { owner, id } = await tested({ auth_type: 'bearer', secret: SECRET });
      const { body } = await put(owner, id, { url: everything.url });
      expect(body).toMatchObject({ status: 'untested', has_secret: false, tool_names: ['one', 'two'] });
      expect((await put(owner, id, { url: odd.url, secret: SECRET })).body).toMatchObject({ has_secret: true });
      expect((await put(owner, id, { secret: '' })).body).toMatchObject({ has_secret: false });
    });

    it('never bring a secret to another address, whatever else is changed at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { owner, id } = await tested({ auth_type: 'bearer', secret: SECRET });
        const changes = [{ url: everything.url }, { auth_type: 'header', auth_header_name: 'x-key' }, { label: 'New' }];
        const statuses = await Promise.all(
          [...changes, ...changes].map(async (fields) => (await put(owner, id, fields)).status),
        );
        expect(new Set(statuses)).toEqual(new Set([200]));
        expect(await owner.get(`${SERVERS}${id}/`)).toMatchObject({
          url: everything.url,
          auth_type: 'header',
          label: 'New',
          has_secret: false,
        });
      }
    });

    it('do not take the outcome of a test of what they were', async () => {
      const { owner, id } = await tested({});
      const held: { goOn?: () => void } = {};
      const reached = new Promise<void>((arrived) => {
        odd.intercept = (_, response, body) => {
          if (!body.includes('tools/list')) return false;
          arrived();
          held.goOn = () => void response.writeHead(500).end();
          return true;
        };
      });
      const testing = test(owner, id);
      await reached;
      await put(owner, id, { auth_type: 'bearer', secret: SECRET });
      held.goOn?.();
      expect(await testing).toMatchObject({ ok: false, server: { status: 'untested', last_error: '' } });
    });
  });

  describe('that are not saved', () => {
    it('can be tried', async () => {
      const owner = await api.signUp();
      const probe = await owner.post<ProbeBody>(`${SERVERS}test/`, {
        url: odd.url,
        auth_type: 'bearer',
        secret: SECRET,
      });
      expect(probe).toMatchObject({ ok: true, tool_names: ['one', 'two'], tools_note: '', server: null });
      expect(await owner.get(SERVERS)).toEqual([]);
      expect(await refused(owner, `${SERVERS}test/`, { url: 'http://tools.example/' })).toMatchObject({
        status: 400,
        code: 'mcp_url_not_https',
      });
    });

    it('use the stored secret at its own address only', async () => {
      const owner = await api.signUp();
      const { id } = await create(owner, { auth_type: 'bearer', secret: SECRET });
      const trial = (fields: object) => owner.post<ProbeBody>(`${SERVERS}test/`, { id, ...fields });
      odd.requests.length = 0;
      expect(await trial({})).toMatchObject({ ok: true, server: { id, status: 'untested' } });
      expect(odd.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
      expect(await refused(owner, `${SERVERS}test/`, { id, url: everything.url })).toMatchObject({
        status: 400,
        code: 'secret_required',
      });
      expect(await refused(owner, `${SERVERS}test/`, { id, url: `${odd.url}?tenant=2` })).toMatchObject({
        code: 'secret_required',
      });
      expect((await trial({ url: everything.url, secret: 'another' })).ok).toBe(true);
      odd.requests.length = 0;
      expect((await trial({ auth_type: 'none' })).ok).toBe(true);
      expect(odd.requests[0]?.headers.authorization).toBeUndefined();
    });
  });
});
