import { createCipheriv, createDecipheriv, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { SealingService } from '@app/secrets';
import { type Answer, call, postJson, startApi, type TestApi } from '../support/api.js';
import { mailsTo } from '../support/outbox.js';
import { inAll, sample } from '../support/long.js';

const seen = ({ status, body }: Answer) => [status, body];
const OLD = 'kite-over-hill';
const NEW = 'stone-under-lake';
const CODE = 'RECOVERY-CODE-1234-5678';

interface Envelope {
  v: number;
  kdf: string;
  params: Record<string, number>;
  salt: string;
  iv: string;
  ct: string;
}

const text = (bytes: Buffer) => bytes.toString('base64url');

/** As a client makes them: independent of the code under test. */
function clientSeal(key: Buffer, secret: string, kdf: 'scrypt' | 'pbkdf2-sha256' = 'scrypt'): Envelope {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const params: Record<string, number> = kdf === 'scrypt' ? { N: 32768, r: 8, p: 1 } : { iterations: 600_000 };
  const cipher = createCipheriv('aes-256-gcm', clientKey(secret, kdf, params, salt), iv);
  const ct = Buffer.concat([cipher.update(key), cipher.final(), cipher.getAuthTag()]);
  return { v: 1, kdf, params, salt: text(salt), iv: text(iv), ct: text(ct) };
}

function clientOpen({ kdf, params, salt, iv, ct }: Envelope, secret: string): Buffer {
  const bytes = Buffer.from(ct, 'base64url');
  const key = clientKey(secret, kdf, params, Buffer.from(salt, 'base64url'));
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
}

function clientKey(secret: string, kdf: string, params: Record<string, number>, salt: Buffer): Buffer {
  if (kdf !== 'scrypt') return pbkdf2Sync(secret, salt, params.iterations!, 32, 'sha256');
  return scryptSync(secret, salt, 32, { N: params.N!, r: params.r!, p: params.p!, maxmem: 2 ** 28 });
}

let counter = 0;

function person(api: TestApi) {
  const username = `pass${(counter += 1)}`;
  const email = `${username}@mail.example`;
  const send = (path: string, body: unknown, token?: string) =>
    postJson(api.baseUrl + path, body, token ? { authorization: `Token ${token}` } : {});
  const login = (password: string) => send('/api/v1/token/login/', { username, password });
  return {
    username,
    email,
    send,
    login,
    register: () => send('/api/v1/users/', { username, email, password: OLD, first_name: 'Ada' }),
    async tokenFor(password: string): Promise<string> {
      return ((await login(password)).body as { auth_token: string }).auth_token;
    },
    me: (token: string) => call(`${api.baseUrl}/users/me/`, { headers: { authorization: `Token ${token}` } }),
    async metadata(token: string, key: string): Promise<Record<string, Envelope>[]> {
      const headers = { authorization: `Token ${token}` };
      const { body } = await call(`${api.baseUrl}/users/metadata/?key=${key}`, { headers });
      return (body as { metadata: Record<string, Envelope>[] }).metadata;
    },
    forget: (body: Record<string, unknown>) =>
      send('/users/password/forget/', { email, recovery_code: CODE, new_password: NEW, ...body }),
  };
}

describe('passwords', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  async function registered() {
    const one = person(api);
    await one.register();
    return { one, token: await one.tokenFor(OLD) };
  }

  it('change: every other session ends, and the owner is told', async () => {
    const { one, token } = await registered();
    const other = await one.tokenFor(OLD);
    expect(seen(await one.send('/users/password/change/', { old_password: OLD, new_password: NEW }, token))).toEqual([
      200,
      { message: expect.any(String) },
    ]);
    expect((await one.me(token)).status).toBe(200);
    expect((await one.me(other)).status).toBe(401);
    expect([(await one.login(OLD)).status, (await one.login(NEW)).status]).toEqual([400, 200]);
    expect((await mailsTo(api, one.email, 2)).at(-1)!.subject).toBe('Your Atrium password was changed');
  });

  it('change: says what is wrong', async () => {
    const { one, token } = await registered();
    const change = (body: unknown) => one.send('/users/password/change/', body, token);
    expect(seen(await change({ old_password: 'wrong', new_password: NEW }))).toEqual([
      400,
      { error: 'The old password is wrong.', code: 'wrong_password' },
    ]);
    expect(seen(await change({ old_password: OLD, new_password: '1234' }))).toEqual([
      400,
      {
        error: [
          'This password is too short. It must contain at least 8 characters.',
          'This password is too common.',
          'This password is entirely numeric.',
        ],
        code: 'weak_password',
      },
    ]);
    expect(seen(await change({ new_password: NEW }))).toEqual([
      400,
      { error: 'old_password: This field is required.', code: 'invalid' },
    ]);
  });

  it('change: of two at once with the same old password, one wins', async () => {
    const { one, token } = await registered();
    const answers = await Promise.all(
      ['first-new-secret', 'second-new-secret'].map((new_password) =>
        one.send('/users/password/change/', { old_password: OLD, new_password }, token),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('set: needs the current one where there is one, and wraps a key in escrow', async () => {
    const { one, token } = await registered();
    const set = (body: unknown) => one.send('/users/password/set/', body, token);
    expect((await set({ new_password: NEW })).body).toMatchObject({ code: 'current_password_required' });
    expect((await set({ new_password: NEW, current_password: 'wrong' })).body).toMatchObject({
      code: 'wrong_password',
    });
    const { dataSource } = api.database;
    const [{ id }] = await dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      one.username,
    ]);
    const escrow = async (value: string) => {
      const [passkey] = await dataSource.query<[{ id: number }]>(
        `INSERT INTO passkeys (user_id, credential_id, public_key, name, device_type)
         VALUES ($1, $2, '', 'Key', 'multiDevice') RETURNING id`,
        [id, `cred-${value.slice(0, 8)}`],
      );
      const place = { table: 'passkeys', column: 'rek_wrapped_sealed', row: passkey.id };
      await dataSource.query('UPDATE passkeys SET rek_wrapped_sealed = $2 WHERE id = $1', [
        passkey.id,
        api.app.get(SealingService).seal(value, place),
      ]);
    };
    await dataSource.query('UPDATE users SET password_hash = NULL WHERE id = $1', [id]);
    await escrow('{"v":1,"opaque":true}');
    expect((await set({ new_password: NEW })).status).toBe(200);
    expect(await one.metadata(token, 'rek_password_encrypted')).toEqual([]);
    const key = randomBytes(32);
    await escrow(key.toString('base64url'));
    expect((await set({ new_password: OLD, current_password: NEW })).status).toBe(200);
    const [{ rek_password_encrypted }] = (await one.metadata(token, 'rek_password_encrypted')) as [
      Record<string, Envelope>,
    ];
    expect(clientOpen(rek_password_encrypted!, OLD)).toEqual(key);
  });

  it.each(sample(['pbkdf2-sha256', 'scrypt'] as const, 2))(
    'forget: the recovery code opens a %s envelope',
    async (kdf) => {
      const { one, token } = await registered();
      const key = randomBytes(32);
      const push = (data: unknown) => one.send('/users/metadata/push/', { data }, token);
      await push({ rek_recovery_encrypted: clientSeal(randomBytes(32), 'an older code', kdf) });
      await push({ rek_password_encrypted: clientSeal(key, OLD), kept: 1 });
      await push({ rek_recovery_encrypted: JSON.stringify(clientSeal(key, CODE, kdf)) });
      expect(seen(await one.forget({ email: one.email.toUpperCase() }))).toEqual([
        200,
        { message: expect.any(String) },
      ]);
      expect((await one.me(token)).status).toBe(401);
      expect((await one.login(OLD)).status).toBe(400);
      const [found] = await one.metadata(await one.tokenFor(NEW), 'rek_password_encrypted');
      expect(found!.kept).toBe(1);
      expect(clientOpen(found!.rek_password_encrypted!, NEW)).toEqual(key);
    },
  );

  inAll('forget: a wrong code, none set up, and hostile envelopes look and last the same', async () => {
    const refusal = [400, { error: 'The recovery code is invalid.', code: 'invalid_recovery_code' }];
    const good = clientSeal(randomBytes(32), CODE);
    const envelopes = [
      undefined,
      good,
      'no json',
      { ...good, params: { N: 2 ** 24, r: 8, p: 1 } },
      { ...good, params: { N: 32_768, r: 8, p: 99 } },
      { ...good, kdf: 'pbkdf2-sha256', params: { iterations: 4e9 } },
      { ...good, kdf: 'pbkdf2-sha256', params: { iterations: 1 } },
      { ...good, iv: '' },
      { ...good, ct: 'AAAA' },
      null,
    ];
    const times: number[] = [];
    for (const rek_recovery_encrypted of envelopes) {
      const { one, token } = await registered();
      if (rek_recovery_encrypted !== undefined)
        await one.send('/users/metadata/push/', { data: { rek_recovery_encrypted } }, token);
      const began = performance.now();
      expect(seen(await one.forget({ recovery_code: 'wrong' }))).toEqual(refusal);
      times.push(performance.now() - began);
      expect((await one.login(OLD)).status).toBe(200);
    }
    expect(Math.min(...times)).toBeGreaterThan(690);
  });

  it('forget: names unknown addresses and weak passwords', async () => {
    const { one } = await registered();
    expect(seen(await one.forget({ email: 'nobody@mail.example' }))).toEqual([
      404,
      { error: 'No account has this email address.', code: 'account_not_found' },
    ]);
    expect((await one.forget({ new_password: 'password' })).body).toMatchObject({ code: 'weak_password' });
    expect((await one.forget({ recovery_code: '' })).body).toMatchObject({
      error: 'recovery_code: This field may not be blank.',
    });
  });

  it('the recovery code goes to the address of the account', async () => {
    const { one, token } = await registered();
    expect((await one.send('/users/recovery-code/send-email/', { recovery_code: CODE }, token)).status).toBe(200);
    expect((await mailsTo(api, one.email, 2)).at(-1)!.text).toContain(CODE);
    const again = { authorization: `Token ${token}`, 'idempotency-key': 'once' };
    for (const replayed of [null, 'true']) {
      const path = `${api.baseUrl}/users/recovery-code/send-email/`;
      const answer = await postJson(path, { recovery_code: 'OTHER-CODE' }, again);
      expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, replayed]);
    }
    expect((await mailsTo(api, one.email, 3)).filter(({ text: mail }) => mail.includes('OTHER-CODE'))).toHaveLength(1);
    expect((await one.send('/users/recovery-code/send-email/', {}, token)).body).toEqual({
      error: 'recovery_code: This field is required.',
      code: 'invalid',
    });
  });

  inAll('recovery is tried five times an hour per address', async () => {
    const limited = await api.startReplica({ RATE_LIMITS: 'true' });
    const one = person(limited);
    await one.register();
    for (const email of [one.email, 'nobody@mail.example']) {
      const tries = await Promise.all(Array.from({ length: 5 }, () => one.forget({ email })));
      expect(tries.map(({ status }) => status)).not.toContain(429);
      const refused = await one.forget({ email: email.toUpperCase() });
      expect(seen(refused)).toEqual([429, { detail: expect.stringMatching(/throttled/), code: 'throttled' }]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    }
    await limited.stop();
  });

  it('no recovery code can be mailed where no mail is sent', async () => {
    const silent = await api.startReplica({ MAIL_PROVIDER: 'off' });
    const one = person(silent);
    await one.register();
    const token = await one.tokenFor(OLD);
    expect(seen(await one.send('/users/recovery-code/send-email/', { recovery_code: CODE }, token))).toEqual([
      500,
      { error: 'The email could not be sent.', code: 'mail_not_sent' },
    ]);
    await silent.stop();
  });
});
