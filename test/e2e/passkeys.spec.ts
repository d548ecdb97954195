import { randomBytes } from 'node:crypto';
import { Ceremonies } from '@app/auth';
import { ErasureRegistry } from '@app/erasure';
import { call, startApi, type TestApi } from '../support/api.js';
import { audited } from '../support/audit.js';
import type { HttpClient } from '../support/http-client.js';
import { PAGE, PasskeyClient } from '../support/passkeys.js';
import { until } from '../support/until.js';

const UUID = /^[0-9a-f-]{36}$/;

describe('passkeys', () => {
  let api: TestApi;
  let client: PasskeyClient;
  let user: HttpClient;

  beforeAll(async () => {
    api = await startApi({ WEBAUTHN_RP_ID: 'atrium.example', WEBAUTHN_ORIGINS: PAGE });
    client = new PasskeyClient(api);
  });
  beforeEach(async () => {
    user = await api.signUp();
  });
  afterAll(() => api.stop());

  const sql = <T>(text: string, parameters: unknown[] = []) => api.database.dataSource.query<T[]>(text, parameters);

  /** As the profile tells, which hears of changes by way of Redis. */
  async function hasPasskey(): Promise<boolean> {
    const me = await user.get<{ info: { auth_methods: { passkey: boolean } } }>('/users/me/');
    return me.info.auth_methods.passkey;
  }

  it('asks for a passkey exactly as specified', async () => {
    const { ceremony_id, expires_in, options } = await client.beginRegistration(user, 'Laptop');
    expect([ceremony_id, expires_in]).toEqual([expect.stringMatching(UUID), 300]);
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rp: { id: 'atrium.example', name: 'Atrium' },
      user: { id: expect.stringMatching(/^[\w-]{86}$/), name: user.username, displayName: user.username },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      extensions: { credProps: true, prf: {} },
    });
    const known = await client.register(user);
    expect((await client.beginRegistration(user)).options.excludeCredentials).toEqual([
      { id: known.id, type: 'public-key', transports: ['hybrid', 'internal'] },
    ]);
  });

  it('makes one random handle per account, also when several registrations begin at once', async () => {
    const begun = await Promise.all(Array.from({ length: 10 }, () => client.beginRegistration(user)));
    expect(new Set(begun.map(({ options }) => options.user.id)).size).toBe(1);
    expect(new Set(begun.map(({ options }) => options.challenge)).size).toBe(10);
    const other = await client.beginRegistration(await api.signUp());
    expect(other.options.user.id).not.toBe(begun[0]!.options.user.id);
  });

  it('adds a passkey and lists the newest first', async () => {
    const { ceremony_id, options } = await client.beginRegistration(user, 'Laptop');
    const credential = client.authenticator.newCredential(options.user.id);
    const sent = client.authenticator.register(options, credential);
    const answer = await client.post('register/finish', { ceremony_id, credential: sent }, user);
    const record = {
      id: expect.any(Number),
      credential_id: credential.id,
      name: 'Laptop',
      aaguid: '00000000-0000-0000-0000-000000000000',
      transports: ['hybrid', 'internal'],
      device_type: 'singleDevice',
      backed_up: false,
      has_encryption_key: false,
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      suspected_clone: false,
    };
    expect(answer).toMatchObject({ status: 201, body: { message: expect.any(String), passkey: record } });
    await client.register(user, { name: 'Phone', synchronised: true });
    await client.register(user);
    const list = await client.list(user);
    expect(list.map(({ name }) => name)).toEqual(['Passkey 3', 'Phone', 'Laptop']);
    expect(list[1]).toMatchObject({ device_type: 'multiDevice', backed_up: true });
    expect(list[2]).toEqual(record);
    expect(await client.list(await api.signUp())).toEqual([]);
    await until(hasPasskey, 1000);
  });

  it('finds a ceremony by its challenge and takes the bare credential', async () => {
    const { options } = await client.beginRegistration(user, 'Bare');
    const credential = client.authenticator.newCredential(options.user.id);
    const added = await client.post('register/finish', client.authenticator.register(options, credential), user);
    expect(added).toMatchObject({ status: 201, body: { passkey: { name: 'Bare' } } });
    const begun = await client.beginSignIn();
    const answer = client.authenticator.signIn(begun.options, credential);
    expect((await client.post('login/discoverable/finish', answer)).status).toBe(200);
  });

  it('signs in without being told whose passkey it is', async () => {
    const { ceremony_id, expires_in, options } = await client.beginSignIn();
    expect([ceremony_id, expires_in]).toEqual([expect.stringMatching(UUID), 300]);
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'atrium.example',
      timeout: 300_000,
      userVerification: 'required',
      allowCredentials: [],
      extensions: { prf: {} },
    });
    const credential = await client.register(user);
    const answer = await client.signIn(credential);
    expect(answer.status).toBe(200);
    const body = answer.body as { auth_token: string; user: object };
    expect(body).toEqual({
      auth_token: expect.any(String),
      expires_in: 86_400,
      absolute_expires_in: 7_776_000,
      user: expect.objectContaining({ username: user.username, is_sso: false }),
    });
    expect(answer.headers.getSetCookie().join()).toMatch(/^refresh_token=[\w-]{43};.*HttpOnly; Secure; SameSite=None/);
    const headers = { authorization: `Token ${body.auth_token}` };
    const me = await call(`${api.baseUrl}/users/me/`, { headers });
    expect((me.body as { info: object }).info).toEqual(body.user);
    const sessions = await call(`${api.baseUrl}/api/v1/auth/sessions/`, { headers });
    expect((sessions.body as { method: string; current: boolean }[]).find(({ current }) => current)!.method).toBe(
      'passkey',
    );
    const [passkey] = await client.list(user);
    expect(passkey).toMatchObject({ last_used_at: expect.stringMatching(/Z$/) });
  });

  it('hands the wrapped recovery key back, and keeps it sealed', async () => {
    const rek = randomBytes(32).toString('base64url');
    const credential = await client.register(user, { rek_wrapped: rek });
    expect(credential.record).toMatchObject({ has_encryption_key: true });
    expect((await client.signIn(credential)).body).toMatchObject({ encryption_key: rek });
    const rows = JSON.stringify(await sql(`SELECT p::text FROM passkeys p`));
    for (const form of [rek, Buffer.from(rek).toString('hex'), Buffer.from(rek, 'base64url').toString('hex')])
      expect(rows).not.toContain(form);
    const { options } = await client.beginRegistration(user);
    const answer = client.authenticator.register(options, client.authenticator.newCredential(options.user.id));
    const tooLong = await client.post('register/finish', { credential: answer, rek_wrapped: 'x'.repeat(4097) }, user);
    expect(tooLong).toMatchObject({ status: 400, body: { rek_wrapped: [expect.any(String)] } });
  });

  it('renames', async () => {
    const { record } = await client.register(user);
    const renamed = await client.post('rename', { id: record.id, name: ' Key ring ' }, user);
    expect(renamed).toMatchObject({ status: 200, body: { ...record, name: 'Key ring' } });
    for (const name of ['', ' ', 'x'.repeat(65), null, 'a\u0000'])
      expect(await client.post('rename', { id: record.id, name }, user)).toMatchObject({
        status: 400,
        body: { name: [expect.any(String)] },
      });
    const stranger = await api.signUp();
    for (const [who, id] of [[stranger, record.id] as const, [user, 2_000_000_000] as const])
      expect(await client.post('rename', { id, name: 'Mine' }, who)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    expect(await client.list(user)).toMatchObject([{ name: 'Key ring' }]);
  });

  it('removes by id and by credential id, and nobody else’s', async () => {
    const [first, second] = [await client.register(user), await client.register(user)];
    const stranger = await api.signUp();
    expect((await client.post('remove', { id: first.record.id }, stranger)).status).toBe(404);
    expect(await client.post('remove', { id: first.record.id }, user)).toMatchObject({
      status: 200,
      body: { message: expect.any(String), passkey_count: 1, auth_method_count: 2 },
    });
    expect(await client.signIn(first)).toMatchObject({ status: 400, body: { code: 'passkey_not_recognised' } });
    expect((await client.post('remove', { id: first.record.id }, user)).status).toBe(404);
    expect(await client.post('remove', { credential_id: second.id }, user)).toMatchObject({
      status: 200,
      body: { passkey_count: 0, auth_method_count: 1 },
    });
    expect(await client.post('remove', {}, user)).toMatchObject({ status: 400, body: { id: [expect.any(String)] } });
    await until(async () => !(await hasPasskey()), 1000);
  });

  it('never removes the last way to sign in, and of two removals at once one passkey stays', async () => {
    const [first, second] = [await client.register(user), await client.register(user)];
    await sql('UPDATE users SET password_hash = NULL WHERE username = $1', [user.username]);
    const answers = await Promise.all(
      [first, second].map(({ record }) => client.post('remove', { id: record.id }, user)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toEqual({
      detail: expect.any(String),
      code: 'last_sign_in_method',
    });
    expect(await client.list(user)).toHaveLength(1);
  });

  it('writes down what happened, without secrets', async () => {
    const rek = randomBytes(32).toString('base64url');
    const { record } = await client.register(user, { name: 'Audited', rek_wrapped: rek });
    await client.post('rename', { id: record.id, name: 'Other' }, user);
    await client.post('remove', { id: record.id }, user);
    const rows = (await audited(api.database.dataSource)).filter(
      ({ action, personal }) => personal?.actor === user.username && action.startsWith('passkey.'),
    );
    expect(rows.map(({ action }) => action)).toEqual(['passkey.registered', 'passkey.renamed', 'passkey.removed']);
    expect(JSON.stringify(rows)).not.toContain(rek);
  });

  it('forgets ceremonies that can serve no more', async () => {
    await Promise.all([client.beginRegistration(user), client.beginSignIn()]);
    const count = async () => (await sql<{ count: string }>('SELECT count(*) FROM webauthn_ceremonies'))[0]!.count;
    await sql(`UPDATE webauthn_ceremonies SET expires_at = now() - interval '1 second'`);
    await client.beginSignIn();
    await api.app.get(Ceremonies).purge();
    expect(await count()).toBe('1');
  });

  it('gives its owner an export without keys, and is erased', async () => {
    await client.register(user, { name: 'Laptop', rek_wrapped: 'wrapped' });
    await client.register(user, { name: 'Phone' });
    const stranger = await api.signUp();
    await client.register(stranger);
    const [{ id }] = (await sql<{ id: number }>('SELECT id FROM users WHERE username = $1', [user.username])) as [
      { id: number },
    ];
    const owned = api.jobs
      .get(ErasureRegistry, { strict: false })
      .list()
      .find(({ name }) => name === 'passkeys')!;
    expect(owned.tables).toEqual(['passkeys', 'webauthn_ceremonies']);
    const files = [];
    for await (const file of owned.exportFor!(id)) files.push(file);
    expect(files.map(({ path }) => path)).toEqual(['passkeys.json']);
    expect(JSON.parse(String(files[0]!.content))).toEqual([
      { name: 'Laptop', created_at: expect.any(String), last_used_at: null, suspected_clone: false },
      { name: 'Phone', created_at: expect.any(String), last_used_at: null, suspected_clone: false },
    ]);
    expect(await owned.countFor(id)).toBe(4);
    const erase = () => api.database.dataSource.transaction((tx) => owned.deleteSome(id, tx));
    expect([await erase(), await erase(), await owned.countFor(id)]).toEqual([4, 0, 0]);
    expect(await client.list(stranger)).toHaveLength(1);
  });
});
