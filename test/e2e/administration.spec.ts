import { HostedAdmin, runAdmin } from '../support/admin.js';
import { postJson } from '../support/api.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { until } from '../support/until.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

/** A second on a quiet machine; what is asked of nobody would be known after five (the cache of principals). */
const SOON_MS = 3000;

describe('administration', () => {
  let platform: HostedPlatform;
  let admin: HostedAdmin;
  let ada: HttpClient;
  const run = (args: string[], input = '') => admin.run(args, input);
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await run(['--json', ...args])).stdout) as T;
  const status = async (client: HttpClient, path: string, base = platform.baseUrl) =>
    (await fetch(base + path, { headers: { authorization: `Token ${client.token}` } })).status;
  const login = async (username: string, password: string) => {
    const response = await fetch(`${platform.baseUrl}/api/v1/token/login/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    return response.status;
  };

  beforeAll(async () => {
    platform = await hostPlatform(['api']);
    admin = new HostedAdmin(platform.env);
    ada = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await admin?.stop();
    await platform?.stop();
  });

  it('disables an account on every replica and socket at once, and lets it in again', async () => {
    const { baseUrl: other } = await platform.host('api');
    const started = await ada.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { nodes: [{ id: 'start', kind: 'webhook_trigger', next: [] }] },
    });
    const socket = NodesSocket.of(other, started.workflow_id, `token=${ada.token}`);
    await until(() => socket.frames.length > 0);
    expect(await status(ada, '/users/me/', other)).toBe(200);
    let took = stopwatch();
    const closed = socket.closed.then(() => took());
    const { stdout, code } = await run(['users', 'disable', ada.username]);
    took = stopwatch();
    expect(code).toBe(0);
    expect(stdout).toMatch(/username +email/);
    await until(async () => (await status(ada, '/users/me/', other)) === 401, SOON_MS);
    expect(await closed).toBeLessThan(SOON_MS);
    await run(['users', 'enable', ada.username]);
    expect(await status(ada, '/users/me/')).toBe(401);
  });

  it('makes accounts and passwords from standard input, and staff', async () => {
    const made = await runAdmin(platform.env, ['users', 'create', 'root', 'root@acme.example'], 'kite-over-hill\n');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(await login('root', 'kite-over-hill')).toBe(200);
    expect(await run(['users', 'create', 'root', 'x@acme.example'], 'kite-over-hill')).toMatchObject({
      code: 1,
      stderr: 'A user with that username already exists.\n',
    });
    expect((await run(['users', 'set-password', 'root'], '1234')).stderr).toContain('too short');
    await run(['users', 'set-password', 'root@acme.example'], 'stone-under-lake');
    expect([await login('root', 'kite-over-hill'), await login('root', 'stone-under-lake')]).toEqual([400, 200]);
    expect(await json('users', 'make-staff', 'root')).toMatchObject({ staff: true, approved: true });
  });

  it('shows staff the audit log, and nobody else', async () => {
    const response = await fetch(`${platform.baseUrl}/api/v1/token/login/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: 'stone-under-lake' }),
    });
    const { auth_token } = (await response.json()) as { auth_token: string };
    const read = async (query: string, token = auth_token) => {
      const answer = await fetch(`${platform.baseUrl}/audit/events/${query}`, {
        headers: { authorization: `Token ${token}` },
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const someone = await HttpClient.signUp(platform.baseUrl);
    expect((await read('', someone.token)).status).toBe(403);
    expect(await status(someone, '/audit/verify/')).toBe(403);
    expect(await status(someone, '/version/')).toBe(403);
    const { body } = await read('?action=account.disabled');
    expect(body).toEqual({
      results: [
        {
          id: expect.any(String),
          seq: expect.any(Number),
          at: expect.any(String),
          actor: null,
          ip: null,
          action: 'account.disabled',
          target: expect.stringMatching(/^user:\d+$/),
          outcome: 'success',
          request_id: null,
          prev_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
      next_cursor: null,
    });
    const first = (await read('?limit=2')).body as { results: { seq: number }[]; next_cursor: string };
    const second = (await read(`?limit=2&cursor=${first.next_cursor}`)).body as { results: { seq: number }[] };
    expect(second.results[0]!.seq).toBe(first.results[1]!.seq - 1);
    expect((await read('?actor=root')).body.results).toContainEqual(
      expect.objectContaining({ action: 'session.begun', actor: 'root', ip: '127.0.0.1' }),
    );
    expect(await read('?cursor=x')).toEqual({
      status: 400,
      body: { detail: 'The cursor is not one of this list.', code: 'invalid_cursor' },
    });
    expect((await read('?from=yesterday')).status).toBe(400);
    expect(await json('audit', 'verify')).toMatchObject({ broken: null });
    expect((await run(['audit', 'tail', '--limit', '3'])).stdout.trim().split('\n')).toHaveLength(4);
  });

  it('makes organisations with seats, promo codes and tokens of directories', async () => {
    const org = await json<{ id: number }>(
      'organizations',
      'create',
      'Acme',
      '--domain',
      'Acme.example',
      '--seats',
      '5',
    );
    expect(org).toMatchObject({ name: 'Acme', domain: 'acme.example', seatLimit: 5, members: 0, sso: false });
    expect(await json('organizations', 'list', 'ACME')).toHaveLength(1);
    expect(await json('organizations', 'list', 'nobody')).toEqual([]);
    expect((await run(['organizations', 'list', '--limit', '1'])).stderr).toBe(
      'These are 1, there may be more: --limit <n>\n',
    );
    expect((await run(['organizations', 'list'])).stderr).toBe('');
    expect((await run(['organizations', 'create', 'Acme', '--domain', 'acme.example'])).stderr).toBe(
      'An organization has this domain already.\n',
    );
    for (const [args, words] of [
      [['  '], 'A name has 1 to 100 characters.'],
      [['x'.repeat(101)], 'A name has 1 to 100 characters.'],
      [['acme.example/join'], 'A name is one line, without web addresses and control characters.'],
      [['Acme\nBcc: x'], 'A name is one line, without web addresses and control characters.'],
      [['Mail', '--domain', 'GMail.com'], 'Everybody can have an address of this domain; it is no organisation.'],
    ] as const)
      expect(await run(['organizations', 'create', ...args])).toMatchObject({ code: 1, stderr: `${words}\n` });
    expect(await json('organizations', 'set-seats', 'acme.example', 'any')).toMatchObject({ seatLimit: null });
    expect(await json('organizations', 'verify-domain', String(org.id))).toMatchObject({ domainVerified: true });
    expect((await run(['organizations', 'set-issuer', 'acme.example', 'https://idp.example'])).code).toBe(1);
    const { token } = await json<{ token: string }>('organizations', 'scim-token', 'create', 'acme.example', 'Okta');
    expect(token).toMatch(/^scim_/);
    const [listed] = await json<[{ id: string; name: string }]>('organizations', 'scim-token', 'list', 'acme.example');
    expect(listed.name).toBe('Okta');
    expect((await run(['organizations', 'scim-token', 'revoke', listed.id])).code).toBe(0);
    const setup = await json<{ token: string; domain: string }>('sso', 'setup-token', 'Acme.example', '--hours', '2');
    expect(setup).toMatchObject({ token: expect.stringMatching(/^sso_/), domain: 'acme.example' });
    const given = { domain: 'acme.example', client_id: 'c', client_secret: 's', setup_token: setup.token };
    const configured = await postJson(`${platform.baseUrl}/api/v1/auth/sso_org/setup-credentials/`, given);
    expect(configured.status).toBe(200);
    expect((await run(['sso', 'setup-token', 'gmail.com'])).stderr).toContain('domain');
    expect(await run(['sso', 'set-credentials', 'nobody.example', 'c'], 'new\n')).toMatchObject({
      code: 1,
      stderr: 'Single sign-on is not set up for "nobody.example".\n',
    });
    expect((await run(['sso', 'set-credentials', 'acme.example', 'c'], '\n')).stderr).toContain('one line');
    expect((await run(['sso', 'set-credentials', 'ACME.example', 'c2'], 'renewed\n')).code).toBe(0);
    const codes = await json<{ code: string }[]>('promo-codes', 'create', '--count', '3', '--days', '7');
    expect(codes.map(({ code }) => code)).toEqual(
      Array(3).fill(expect.stringMatching(/^[A-Z2-9]{4}(-[A-Z2-9]{4}){2}$/)),
    );
    expect(await json('promo-codes', 'list')).toHaveLength(3);
    expect(await json('keys', 'status')).toContainEqual(expect.objectContaining({ stale: 0 }));
    expect((await run(['keys', 'rewrap'])).code).toBe(0);
    expect(await json('subscriptions', 'list', 'root')).toEqual([]);
    expect(await run(['subscriptions', 'end-unknown', 'sub_1'])).toMatchObject({
      code: 1,
      stderr: 'There is no subscription "sub_1".\n',
    });
  });

  inAll('says in a line what a hurried person did wrong', async () => {
    expect(await run(['users', 'show', 'nobody'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no account "nobody".\n',
    });
    expect((await run(['users', 'list', '--limit', 'many'])).stderr).toBe(
      '--limit must be a number from 1 to 10000.\n',
    );
    expect((await run(['user'])).stderr).toContain("unknown command 'user'");
    expect(await runAdmin(platform.env, ['user'])).toEqual(await run(['user']));
    expect((await run(['users', 'disable'])).stderr).toContain("missing required argument 'login'");
    expect((await run(['--help'])).stdout).toContain('promo-codes');
  });

  it('says so where vectors can have no index', async () => {
    expect(await json('vector-index', 'status')).toEqual([]);
    const { code, stderr } = await run(['vector-index', 'build']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not offer the extension')]);
    expect(await json('vector-index', 'drop')).toEqual({ dropped: [] });
  });
});
