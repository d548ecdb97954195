import { setTimeout as sleep } from 'node:timers/promises';
import { hashToken } from '../../libs/common/src/token.js';
import { type Answer, call, postJson, startApi, type TestApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { mailsOf } from '../support/outbox.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';

type Session = { auth_token: string; expires_in: number; absolute_expires_in: number };

const cookieOf = (answer: Answer) =>
  answer.headers.getSetCookie().find((cookie) => cookie.startsWith('refresh_token='));
const tokenIn = (answer: Answer) => /^refresh_token=([^;]*)/.exec(cookieOf(answer) ?? '')?.[1] ?? '';
const sessionOf = (answer: Answer) => answer.body as Session;
const authorization = (token: string) => ({ authorization: `Token ${token}` });

describe('sessions', () => {
  let api: TestApi;
  let accounts = 0;
  const password = 'kite-over-hill';

  const url = (path: string) => api.baseUrl + path;
  const login = (username: string, secret = password) =>
    postJson(url('/api/v1/token/login/'), { username, password: secret });
  const refresh = (token: string) => postJson(url('/api/v1/auth/refresh/'), {}, { cookie: `refresh_token=${token}` });
  const me = async (token: string, base = api.baseUrl) =>
    (await call(`${base}/users/me/`, { headers: authorization(token) })).status;

  async function signedIn(): Promise<{ username: string; session: Session; refreshToken: string }> {
    const username = `person${(accounts += 1)}`;
    await postJson(url('/api/v1/users/'), { username, email: `${username}@mail.example`, password });
    const answer = await login(username);
    return { username, session: sessionOf(answer), refreshToken: tokenIn(answer) };
  }

  /** As if the replacement had happened so long ago. */
  const age = (refreshToken: string, seconds: number) =>
    api.database.dataSource.query(
      'UPDATE refresh_tokens SET replaced_at = replaced_at - make_interval(secs => $2) WHERE token_hash = $1',
      [hashToken(refreshToken), seconds],
    );

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it('signs in by name and by address, with a cookie exactly as specified', async () => {
    const { username } = await signedIn();
    const answer = await login(username);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ auth_token: expect.any(String), expires_in: 86_400, absolute_expires_in: 7_776_000 });
    expect(Buffer.from(sessionOf(answer).auth_token, 'base64url')).toHaveLength(32);
    const parts = cookieOf(answer)!.split('; ').slice(1);
    expect(parts.filter((part) => !part.startsWith('Expires='))).toEqual([
      'Max-Age=7776000',
      'Path=/api/v1/auth/',
      'HttpOnly',
      'Secure',
      'SameSite=None',
    ]);
    expect((await login(`${username}@mail.example`)).status).toBe(200);
    expect((await login(username.toUpperCase())).status).toBe(400);
  });

  it("lets everybody in with their address, though it is somebody else's name", async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const address = `${second.username}@mail.example`;
    // As a directory names people, or when the address under a name has changed.
    await api.database.dataSource.query('UPDATE users SET username = $2 WHERE username = $1', [
      first.username,
      address,
    ]);
    const change = { old_password: password, new_password: 'boat-under-hill' };
    await postJson(url('/users/password/change/'), change, authorization(second.session.auth_token));
    const names = [];
    for (const secret of [password, 'boat-under-hill']) {
      const { auth_token } = sessionOf(await login(address, secret));
      const { body } = await call(url('/users/me/'), { headers: authorization(auth_token) });
      names.push((body as { info: { username: string } }).info.username);
    }
    expect(names).toEqual([address, second.username]);
    expect((await login(address, 'neither')).status).toBe(400);
    // An account without a password is in nobody's way.
    await api.database.dataSource.query('UPDATE users SET password_hash = NULL WHERE username = $1', [address]);
    expect((await login(address, 'boat-under-hill')).status).toBe(200);
    expect((await login(address)).status).toBe(400);
  });

  it('stores no token as it is', async () => {
    const { session, refreshToken } = await signedIn();
    await refresh(refreshToken);
    for (const table of ['access_tokens', 'refresh_tokens', 'sessions', 'users']) {
      const rows = JSON.stringify(await api.database.dataSource.query(`SELECT t::text FROM ${table} t`));
      for (const token of [session.auth_token, refreshToken])
        for (const form of [token, Buffer.from(token).toString('hex'), Buffer.from(token, 'base64url').toString('hex')])
          expect(rows).not.toContain(form);
    }
  });

  it('says the same for an unknown account and a wrong password, and names what is missing', async () => {
    const { username } = await signedIn();
    const refused = { non_field_errors: ['Unable to log in with provided credentials.'] };
    expect(await login(username, 'something else')).toMatchObject({ status: 400, body: refused });
    expect(await login('nobody-here')).toMatchObject({ status: 400, body: refused });
    expect(await postJson(url('/api/v1/token/login/'), { username })).toMatchObject({
      status: 400,
      body: { password: ['This field is required.'] },
    });
  });

  it('does not let deactivated accounts in, and ends their sessions', async () => {
    const { username, session, refreshToken } = await signedIn();
    await api.database.dataSource.query('UPDATE users SET is_active = false WHERE username = $1', [username]);
    expect((await login(username)).body).toEqual({ non_field_errors: ['User account is disabled.'] });
    expect((await login(username, 'wrong')).body).toEqual({
      non_field_errors: ['Unable to log in with provided credentials.'],
    });
    expect((await refresh(refreshToken)).status).toBe(401);
    expect(await me(session.auth_token)).toBe(401);
  });

  it('asks for approval and a confirmed address where the deployment wants them', async () => {
    const { username } = await signedIn();
    const strict = await api.startReplica({ EMAIL_VERIFICATION: 'true' });
    const there = () => postJson(`${strict.baseUrl}/api/v1/token/login/`, { username, password });
    const set = (column: string) =>
      api.database.dataSource.query(`UPDATE users SET ${column} = true WHERE username = $1`, [username]);
    expect((await there()).body).toEqual({ non_field_errors: ['User account is not verified.'] });
    await set('verified');
    expect((await there()).body).toEqual({ non_field_errors: ['Email address is not verified.'] });
    await set('email_verified');
    expect((await there()).status).toBe(200);
    await strict.stop();
  });

  it('refreshes by cookie, body and alias, each time with new tokens', async () => {
    const { session, refreshToken } = await signedIn();
    const first = await refresh(refreshToken);
    expect(first.status).toBe(200);
    expect(sessionOf(first).auth_token).not.toBe(session.auth_token);
    expect(await me(sessionOf(first).auth_token)).toBe(200);
    const second = await postJson(url('/api/v1/auth/refresh/'), { refresh_token: tokenIn(first) });
    const third = await postJson(url('/api/v1/auth/refresh/'), { refresh: tokenIn(second) });
    expect(third.status).toBe(200);
    expect(new Set([refreshToken, tokenIn(first), tokenIn(second), tokenIn(third)]).size).toBe(4);
    expect(await postJson(url('/api/v1/auth/refresh/'), {})).toMatchObject({
      status: 400,
      body: { code: 'missing_refresh_token', detail: expect.any(String) },
    });
  });

  it('takes the cookie from no page of elsewhere, which could have it exchanged and the answer lost', async () => {
    const { refreshToken } = await signedIn();
    const from = (origin: string, more: Record<string, string> = {}) =>
      postJson(url('/api/v1/auth/refresh/'), {}, { cookie: `refresh_token=${refreshToken}`, origin, ...more });
    for (const origin of ['https://evil.example', 'null', `${api.baseUrl}.evil.example`]) {
      const answer = await from(origin, { 'sec-fetch-site': 'cross-site' });
      expect(answer).toMatchObject({ status: 400, body: { code: 'missing_refresh_token' } });
      expect(cookieOf(answer)).toBeUndefined();
    }
    expect((await from(api.baseUrl)).status).toBe(200);
    // Behind a proxy that names another host.
    expect((await from('https://app.example', { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('refuses an unknown refresh token and clears the cookie', async () => {
    for (const token of ['unknown', 'u'.repeat(3000)]) {
      const answer = await refresh(token);
      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
      expect(cookieOf(answer)).toMatch(
        /^refresh_token=; Path=\/api\/v1\/auth\/; Expires=Thu, 01 Jan 1970.*HttpOnly; Secure; SameSite=None$/,
      );
    }
  });

  it('gives fifty concurrent callers of one token the same successor', async () => {
    const { refreshToken } = await signedIn();
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(refreshToken)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(new Set(answers.map(tokenIn)).size).toBe(1);
    const late = await refresh(refreshToken);
    expect(late.body).toEqual(answers[0]!.body);
    const [{ count }] = await api.database.dataSource.query<[{ count: string }]>(
      'SELECT count(*) FROM refresh_tokens n JOIN refresh_tokens o ON n.session_id = o.session_id WHERE o.token_hash = $1',
      [hashToken(refreshToken)],
    );
    expect(count).toBe('2');
  });

  it('ends the whole session when a token comes back after the grace period', async () => {
    const { refreshToken } = await signedIn();
    const successor = await refresh(refreshToken);
    expect(await me(sessionOf(successor).auth_token)).toBe(200);
    await age(refreshToken, 31);
    const stolen = await refresh(refreshToken);
    expect(stolen).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
    expect(cookieOf(stolen)).toMatch(/^refresh_token=;/);
    expect(await me(sessionOf(successor).auth_token)).toBe(401);
    expect((await refresh(tokenIn(successor))).status).toBe(401);
    await refresh(refreshToken);
    const actions = await auditedActions(api.database.dataSource);
    expect(actions.filter((action) => action === 'session.token_reused')).toHaveLength(1);
    const told = async () =>
      (await mailsOf(api)).filter(({ subject }) => subject === 'An Atrium session was ended for your safety').length;
    await until(async () => (await told()) === 1);
  });

  it('gives the same tokens during the grace period, although they were used since', async () => {
    const { refreshToken } = await signedIn();
    const child = await refresh(refreshToken);
    const grandchild = await refresh(tokenIn(child));
    const late = await refresh(refreshToken);
    expect([late.status, sessionOf(late).auth_token, tokenIn(late)]).toEqual([
      200,
      sessionOf(child).auth_token,
      tokenIn(child),
    ]);
    expect(tokenIn(await refresh(tokenIn(child)))).toBe(tokenIn(grandchild));
    expect(await me(sessionOf(grandchild).auth_token)).toBe(200);
    expect((await refresh(tokenIn(grandchild))).status).toBe(200);
  });

  it('revokes parent and child alike during grace', async () => {
    const { refreshToken } = await signedIn();
    const child = await refresh(refreshToken);
    await call(url('/api/v1/auth/logout/'), { method: 'POST', headers: authorization(sessionOf(child).auth_token) });
    expect((await refresh(refreshToken)).status).toBe(401);
    expect((await refresh(tokenIn(child))).status).toBe(401);
  });

  it('erases the sealed successor when the grace is over', async () => {
    const { refreshToken } = await signedIn();
    const child = await refresh(refreshToken);
    await age(refreshToken, 31);
    await refresh(tokenIn(child));
    const [row] = await api.database.dataSource.query<[{ successor_sealed: Buffer | null }]>(
      'SELECT successor_sealed FROM refresh_tokens WHERE token_hash = $1',
      [hashToken(refreshToken)],
    );
    expect(row.successor_sealed).toBeNull();
  });

  it('ends for good at the hard cap, which no refresh moves', async () => {
    const { refreshToken, username } = await signedIn();
    const cap = () =>
      api.database.dataSource.query<[{ cap: Date }]>(
        'SELECT absolute_expires_at AS cap FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.username = $1',
        [username],
      );
    const before = await cap();
    const next = await refresh(refreshToken);
    expect(await cap()).toEqual(before);
    await api.database.dataSource.query(
      'UPDATE sessions s SET absolute_expires_at = now() FROM users u WHERE u.id = s.user_id AND u.username = $1',
      [username],
    );
    const answer = await refresh(tokenIn(next));
    expect(answer).toMatchObject({ status: 401, body: { code: 'max_session_lifetime_exceeded' } });
    expect(cookieOf(answer)).toMatch(/^refresh_token=;/);
    expect((await login(username)).status).toBe(200);
  });

  it('shows a logout to another replica within a second, and leaves other sessions alone', async () => {
    const replica = await api.startReplica();
    const { username, session } = await signedIn();
    const other = sessionOf(await login(username));
    expect(await me(session.auth_token, replica.baseUrl)).toBe(200);
    const started = await postJson(
      url('/microservices/workflow/start/'),
      { json: { nodes: [{ id: 'start', kind: 'manual_trigger', next: [] }] } },
      authorization(session.auth_token),
    );
    const { workflow_id } = started.body as { workflow_id: string };
    const sockets = [session, other].map(({ auth_token }) =>
      NodesSocket.of(replica.baseUrl, workflow_id, `token=${auth_token}`),
    );
    await until(() => sockets.every(({ frames }) => frames.length > 0));
    const answer = await call(url('/api/v1/auth/logout/'), {
      method: 'POST',
      headers: authorization(session.auth_token),
    });
    expect(answer.status).toBe(204);
    expect(cookieOf(answer)).toMatch(/^refresh_token=;/);
    const took = stopwatch();
    await until(async () => (await me(session.auth_token, replica.baseUrl)) === 401);
    expect(await sockets[0]!.closed).toBe(1008);
    expect(took()).toBeLessThan(1000);
    expect(sockets[1]!.isOpen).toBe(true);
    expect(await me(session.auth_token)).toBe(401);
    expect(await me(other.auth_token)).toBe(200);

    await call(url('/api/v1/auth/logout-all/'), { method: 'POST', headers: authorization(other.auth_token) });
    expect(await me(other.auth_token)).toBe(401);
    expect(await sockets[1]!.closed).toBe(1008);
    await replica.stop();
  });

  it('refuses what is no access token', async () => {
    const { session } = await signedIn();
    const missing = await call(url('/users/me/'));
    expect(missing).toMatchObject({ status: 401, body: { code: 'not_authenticated', detail: expect.any(String) } });
    expect(missing.headers.get('www-authenticate')).toBe('Token');
    for (const value of [
      'Token ',
      'Token x',
      session.auth_token,
      `Basic ${session.auth_token}`,
      `Token ${'x'.repeat(5000)}`,
    ])
      expect((await call(url('/users/me/'), { headers: { authorization: value } })).status).toBe(401);
  });

  it('lists my sessions and ends one of them, never somebody else’s', async () => {
    const { username, session } = await signedIn();
    const stranger = await signedIn();
    await sleep(5);
    const second = sessionOf(await login(username));
    const list = await call(url('/api/v1/auth/sessions/'), { headers: authorization(session.auth_token) });
    const sessions = list.body as { id: string; current: boolean }[];
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toEqual({
      id: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
      last_seen_at: expect.stringMatching(/Z$/),
      ip: expect.any(String),
      user_agent: expect.any(String),
      method: 'password',
      current: false,
    });
    const end = (token: string, id: string) =>
      call(url(`/api/v1/auth/sessions/${id}/`), { method: 'DELETE', headers: authorization(token) });
    const { id } = sessions.find((one) => !one.current)!;
    expect((await end(stranger.session.auth_token, id)).status).toBe(404);
    expect((await end(session.auth_token, id)).status).toBe(204);
    expect((await end(session.auth_token, id)).status).toBe(404);
    expect((await end(session.auth_token, 'no-uuid')).status).toBe(404);
    expect(await me(second.auth_token)).toBe(401);
    expect(await me(session.auth_token)).toBe(200);
  });

  it('tells callers apart who come at the same time with tokens that nobody has seen yet', async () => {
    const callers = [await signedIn(), await signedIn(), await signedIn()];
    const calls = Array.from({ length: 30 }, (_, index) => callers[index % callers.length]!);
    const names = await Promise.all(
      calls.map(async ({ session }) => {
        const { body } = await call(url('/users/me/'), { headers: authorization(session.auth_token) });
        return (body as { info: { username: string } }).info.username;
      }),
    );
    expect(names).toEqual(calls.map(({ username }) => username));
  });

  it('issues WebSocket tickets', async () => {
    const { session } = await signedIn();
    const answer = await postJson(
      url('/ws/ticket/'),
      { channel: '/ws/workflow/1/nodes/' },
      authorization(session.auth_token),
    );
    expect(answer).toMatchObject({ status: 200, body: { ticket: expect.any(String), expires_in: 30 } });
    expect(await postJson(url('/ws/ticket/'), {}, authorization(session.auth_token))).toMatchObject({
      status: 400,
      body: { channel: ['This field is required.'] },
    });
  });
});
