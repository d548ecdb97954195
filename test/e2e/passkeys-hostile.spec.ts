import { randomBytes } from 'node:crypto';
import { OwnedPasskeys } from '@app/auth';
import { startApi, type TestApi } from '../support/api.js';
import { audited } from '../support/audit.js';
import { HOSTILE_VALUES, seededRandom } from '../support/hostile-values.js';
import type { HttpClient } from '../support/http-client.js';
import { inOneMinute } from '../support/minute.js';
import { PAGE, PasskeyClient } from '../support/passkeys.js';
import type { Deviation } from '../support/software-authenticator.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

const SEED = Number(process.env.ATRIUM_FUZZ_SEED ?? 20_261_121);
const refused = (message: string) => [400, { non_field_errors: [message] }];
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

describe('passkeys under attack', () => {
  let api: TestApi;
  let client: PasskeyClient;
  let user: HttpClient;
  let replica: TestApi | null = null;

  beforeAll(async () => {
    api = await startApi({ WEBAUTHN_RP_ID: 'atrium.example', WEBAUTHN_ORIGINS: PAGE, LOG_LEVEL: 'fatal' });
    client = new PasskeyClient(api);
  });
  beforeEach(async () => {
    user = await api.signUp();
  });
  afterEach(async () => {
    await replica?.stop();
    replica = null;
  });
  afterAll(() => api.stop());

  const sql = <T>(text: string, parameters: unknown[] = []) => api.database.dataSource.query<T[]>(text, parameters);
  const notRecognised = { error: 'The passkey was not recognised.', code: 'passkey_not_recognised' };
  const verificationFailed = { error: expect.any(String), code: 'verification_failed' };
  const ceremonyExpired = { error: expect.any(String), code: 'ceremony_expired' };

  async function registration(deviation: Deviation = {}, owner = user) {
    const { ceremony_id, options } = await client.beginRegistration(owner);
    const made = client.authenticator.newCredential(options.user.id);
    return { made, body: { ceremony_id, credential: client.authenticator.register(options, made, deviation) } };
  }
  const finishRegistration = (body: unknown, who = user) => client.post('register/finish', body, who);

  const lies: [string, Deviation][] = [
    ['another origin', { origin: 'https://app.atrium.example.evil.example' }],
    ['another port', { origin: `${PAGE}:8443` }],
    ['another relying party', { rpId: 'evil.example' }],
    ['no user verification', { verified: false }],
    ['the other type', { type: 'payment.get' }],
    ['a page inside a foreign page', { crossOrigin: true }],
  ];

  it.each(lies)('does not register with %s', async (_, deviation) => {
    const { body } = await registration(deviation);
    expect(await finishRegistration(body)).toMatchObject({ status: 400, body: verificationFailed });
    expect(await finishRegistration(body)).toMatchObject({ status: 400, body: ceremonyExpired });
    expect(await client.list(user)).toEqual([]);
  });

  const signInLies: [string, Deviation][] = [
    ...lies,
    ['a signature of another key', { forged: true }],
    ['no user handle', { userHandle: null }],
    ['the handle of nobody', { userHandle: randomBytes(64).toString('base64url') }],
  ];

  it('does not sign in with any lie, says the same each time, and suspects nobody for it', async () => {
    const credential = await client.register(user);
    const bodies = [];
    for (const [about, deviation] of signInLies) {
      const answer = await client.signIn(credential, deviation);
      expect([about, answer.status]).toEqual([about, 400]);
      bodies.push(JSON.stringify(answer.body));
    }
    const { options } = await client.beginRegistration(user);
    const unknown = client.authenticator.newCredential(options.user.id);
    bodies.push(JSON.stringify((await client.signIn(unknown)).body));
    // Below the counter, but not signed by the key: anybody could send it.
    bodies.push(JSON.stringify((await client.signIn(credential, { forged: true, counter: 0 })).body));
    credential.counter = 100;
    expect(new Set(bodies)).toEqual(new Set([JSON.stringify(notRecognised)]));
    expect((await client.signIn(credential)).status).toBe(200);
  });

  it('takes each answer once, whatever came of it', async () => {
    const { body, made } = await registration();
    expect((await finishRegistration(body)).status).toBe(201);
    expect(await finishRegistration(body)).toMatchObject({ status: 400, body: ceremonyExpired });
    expect(await finishRegistration(body.credential)).toMatchObject({ status: 400, body: ceremonyExpired });

    const wrong = await client.beginRegistration(user);
    const other = client.authenticator.newCredential(wrong.options.user.id);
    const finish = (deviation: Deviation) =>
      finishRegistration({
        ceremony_id: wrong.ceremony_id,
        credential: client.authenticator.register(wrong.options, other, deviation),
      });
    expect(await finish({ verified: false })).toMatchObject({ status: 400, body: verificationFailed });
    expect(await finish({})).toMatchObject({ status: 400, body: ceremonyExpired });

    const begun = await client.beginSignIn();
    const credential = client.authenticator.signIn(begun.options, made);
    const signIn = () => client.post('login/discoverable/finish', { ceremony_id: begun.ceremony_id, credential });
    expect((await signIn()).status).toBe(200);
    expect(await signIn()).toMatchObject({ status: 400, body: notRecognised });
    expect(await client.post('login/discoverable/finish', credential)).toMatchObject({
      status: 400,
      body: notRecognised,
    });
  });

  it('lets one of many concurrent uses of one answer through', async () => {
    const { body, made } = await registration();
    const registered = await Promise.all(Array.from({ length: 12 }, () => finishRegistration(body)));
    expect(statuses(registered)).toEqual([201, ...Array.from({ length: 11 }, () => 400)]);
    for (let round = 0; round < 5; round += 1) {
      const begun = await client.beginSignIn();
      const credential = client.authenticator.signIn(begun.options, made);
      const signedIn = await Promise.all(
        Array.from({ length: 12 }, () => client.post('login/discoverable/finish', { credential })),
      );
      expect(statuses(signedIn)).toEqual([200, ...Array.from({ length: 11 }, () => 400)]);
    }
    const [row] = await sql<{ suspected_clone_at: Date | null }>(
      'SELECT suspected_clone_at FROM passkeys WHERE credential_id = $1',
      [made.id],
    );
    expect(row).toEqual({ suspected_clone_at: null });
  });

  it('binds a registration to its user, and a stranger cannot use it up', async () => {
    const stranger = await api.signUp();
    const { body } = await registration();
    for (const sent of [body, body.credential])
      expect(await finishRegistration(sent, stranger)).toMatchObject({ status: 400, body: ceremonyExpired });
    expect((await finishRegistration(body)).status).toBe(201);
    expect(await client.list(stranger)).toEqual([]);
  });

  it('takes no challenge of the other kind, and none that has expired', async () => {
    const credential = await client.register(user);
    const { options, ceremony_id } = await client.beginRegistration(user);
    const crossed = client.authenticator.signIn({ challenge: options.challenge, rpId: options.rp.id }, credential);
    for (const body of [{ credential: crossed }, { ceremony_id, credential: crossed }])
      expect(await client.post('login/discoverable/finish', body)).toMatchObject({ status: 400, body: notRecognised });

    const late = await registration();
    const begun = await client.beginSignIn();
    await sql(`UPDATE webauthn_ceremonies SET expires_at = now() - interval '1 second'`);
    expect(await finishRegistration(late.body)).toMatchObject({ status: 400, body: ceremonyExpired });
    const answer = client.authenticator.signIn(begun.options, credential);
    expect(await client.post('login/discoverable/finish', { credential: answer })).toMatchObject({
      status: 400,
      body: notRecognised,
    });
  });

  it('registers one credential once, whoever comes with it', async () => {
    const known = await client.register(user);
    const stranger = await api.signUp();
    for (const who of [user, stranger]) {
      const { ceremony_id, options } = await client.beginRegistration(who);
      const credential = client.authenticator.register(options, known);
      expect(await finishRegistration({ ceremony_id, credential }, who)).toMatchObject({
        status: 409,
        body: { detail: expect.any(String), code: 'passkey_already_registered' },
      });
    }
    const record = await client.list(user);
    expect(record).toHaveLength(1);
  });

  it('keeps to ten passkeys, also when many registrations end at once', async () => {
    const begun = await Promise.all(Array.from({ length: 15 }, () => registration()));
    const answers = await Promise.all(begun.map(({ body }) => finishRegistration(body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    for (const { body } of answers.filter(({ status }) => status !== 201))
      expect(body).toEqual({ detail: expect.any(String), code: 'passkey_limit_reached' });
    expect(await client.list(user)).toHaveLength(10);
    expect(await client.post('register/begin', {}, user)).toMatchObject({
      status: 409,
      body: { code: 'passkey_limit_reached' },
    });
  });

  it('takes a key out of use whose counter went back, and tells its owner', async () => {
    const credential = await client.register(user, { name: 'Old key' });
    for (let use = 0; use < 3; use += 1) expect((await client.signIn(credential)).status).toBe(200);
    expect(await client.signIn(credential, { counter: credential.counter })).toMatchObject({
      status: 400,
      body: notRecognised,
    });
    // Never again, wherever it counts.
    expect((await client.signIn(credential, { counter: 1000 })).status).toBe(400);
    const [{ mails }] = (await sql<{ mails: number }>(
      `SELECT count(*)::int AS mails FROM outgoing_messages m JOIN users u ON u.id = m.user_id
       WHERE u.username = $1 AND m.template = 'passkey-clone' AND m.recipient = u.email`,
      [user.username],
    )) as [{ mails: number }];
    expect(mails).toBe(1);
    const [{ id: ownerId }] = (await sql<{ id: number }>('SELECT id FROM users WHERE username = $1', [
      user.username,
    ])) as [{ id: number }];
    const entries = await audited(api.database.dataSource, { subjectId: ownerId });
    const suspicions = entries.filter(({ action }) => action === 'passkey.suspected_clone');
    expect(suspicions.map(({ personal }) => personal?.details)).toEqual([
      { passkey_id: credential.record.id, name: 'Old key' },
    ]);
    expect(await client.list(user)).toMatchObject([{ name: 'Old key', suspected_clone: true }]);
    const exported: unknown[] = [];
    for await (const { content } of api.jobs.get(OwnedPasskeys).exportFor(ownerId))
      exported.push(...(JSON.parse(String(content)) as unknown[]));
    expect(exported).toMatchObject([{ name: 'Old key', suspected_clone: true }]);
    // The profile hears of it by way of Redis.
    await until(async () => {
      const me = await user.get<{ info: { auth_methods: { passkey: boolean } } }>('/users/me/');
      return !me.info.auth_methods.passkey;
    }, 1000);
    // It is no way in any more, so it may go even though the password is the last one.
    expect((await client.post('remove', { id: credential.record.id }, user)).status).toBe(200);
  });

  it('lets keys sign in that are synchronised or never count', async () => {
    const synchronised = await client.register(user, { synchronised: true });
    for (let use = 0; use < 3; use += 1) expect((await client.signIn(synchronised)).status).toBe(200);
    const { ceremony_id, options } = await client.beginRegistration(user);
    const silent = client.authenticator.newCredential(options.user.id);
    const credential = client.authenticator.register(options, silent, { counter: 0 });
    expect((await finishRegistration({ ceremony_id, credential })).status).toBe(201);
    for (let use = 0; use < 3; use += 1) expect((await client.signIn(silent, { counter: 0 })).status).toBe(200);
  });

  it('refuses disabled and unapproved accounts with the messages of the password', async () => {
    const credential = await client.register(user);
    const { baseUrl } = (replica = await api.startReplica({ EMAIL_VERIFICATION: 'true' }));
    const messages = async (at?: string) => {
      const answer = await client.signIn(credential, {}, at);
      expect(answer.headers.getSetCookie()).toEqual([]);
      return [answer.status, answer.body];
    };
    const set = (assignment: string) => sql(`UPDATE users SET ${assignment} WHERE username = $1`, [user.username]);
    await set('verified = false, email_verified = false');
    expect(await messages(baseUrl)).toEqual(refused('User account is not verified.'));
    await set('verified = true');
    expect(await messages(baseUrl)).toEqual(refused('Email address is not verified.'));
    await set('is_active = false');
    expect(await messages()).toEqual(refused('User account is disabled.'));
  });

  it('does not look at attestation, so nobody can send the server to fetch its certificates', async () => {
    const statement = new Map<string, unknown>([
      ['alg', -7],
      ['sig', new Uint8Array(8)],
      ['x5c', [new Uint8Array(64)]],
    ]);
    const { body } = await registration({ attestation: { fmt: 'packed', statement } });
    expect((await finishRegistration(body)).status).toBe(201);
  });

  it('refuses ids and keys beyond measure', async () => {
    for (const id of [randomBytes(1024), Buffer.alloc(0)]) {
      const { ceremony_id, options } = await client.beginRegistration(user);
      const made = client.authenticator.newCredential(options.user.id, { id });
      const credential = client.authenticator.register(options, made);
      const named = { ...credential, id: 'AAAA', rawId: 'AAAA' };
      expect(await finishRegistration({ ceremony_id, credential: named })).toMatchObject({
        status: 400,
        body: verificationFailed,
      });
    }
    const { ceremony_id, options } = await client.beginRegistration(user);
    const made = client.authenticator.newCredential(options.user.id);
    const credential = client.authenticator.register(options, { ...made, x: randomBytes(5000) });
    expect((await finishRegistration({ ceremony_id, credential })).body).toEqual(verificationFailed);
  });

  inAll('answers 400 to any credential that is none', async () => {
    const random = seededRandom(SEED);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const known = await client.register(user);
    const depth = 5000;
    const cborBombs = [Buffer.alloc(depth, 0x81), Buffer.from('9bffffffffffffffff', 'hex'), Buffer.alloc(40_000, 0xa1)];
    const values = [
      ...HOSTILE_VALUES,
      'not base64url!',
      'A'.repeat(65_537),
      'AAAA',
      ...cborBombs.map((bytes) => bytes.toString('base64url')),
      ...['null', '[]', '"x"', '{}', '{"challenge":7}', '{"challenge":"AAAA","type":{},"origin":[]}', '\ufeff{'].map(
        (json) => Buffer.from(json).toString('base64url'),
      ),
    ];

    /** The answer of a genuine authenticator with some parts replaced or left out. */
    function damaged(genuine: { response: object }): unknown {
      if (random() < 0.05) return pick(values);
      const copy = structuredClone(genuine) as unknown as Record<string, unknown>;
      const parts = random() < 0.4 ? copy : (copy['response'] as Record<string, unknown>);
      for (const name of Object.keys(parts)) {
        const course = random();
        if (course < 0.15) delete parts[name];
        else if (course < 0.5) parts[name] = pick(values);
        else if (course < 0.6 && typeof parts[name] === 'string')
          parts[name] = parts[name].slice(0, Math.floor(random() * parts[name].length));
      }
      return copy;
    }

    const odd: string[] = [];
    for (let round = 0; round < 150; round += 1) {
      const begun = await client.beginSignIn();
      const asked = await client.beginRegistration(user);
      const made = client.authenticator.newCredential(asked.options.user.id);
      const assertion = damaged(client.authenticator.signIn(begun.options, known));
      const attestation = damaged(client.authenticator.register(asked.options, made));
      const bare = random() < 0.3;
      const [signIn, register] = await Promise.all([
        client.post('login/discoverable/finish', bare ? assertion : { ...begun, credential: assertion }),
        finishRegistration(bare ? attestation : { ...asked, credential: attestation }),
      ]);
      // Left whole by chance, or damaged where nobody looks, it is a genuine one.
      if (![200, 400].includes(signIn.status)) odd.push(`${signIn.status} ${JSON.stringify(assertion).slice(0, 500)}`);
      if (![201, 400, 409].includes(register.status))
        odd.push(`${register.status} ${JSON.stringify(attestation).slice(0, 500)}`);
      if (register.status === 201)
        await sql('DELETE FROM passkeys p USING users u WHERE u.id = p.user_id AND u.username = $1 AND p.id <> $2', [
          user.username,
          known.record.id,
        ]);
    }
    expect(odd).toEqual([]);
    for (const value of HOSTILE_VALUES)
      for (const path of ['register/begin', 'register/finish', 'login/discoverable/finish', 'remove', 'rename']) {
        const whole = await client.post(path, value, user);
        const fields = { credential: value, id: value, credential_id: value, name: value, ceremony_id: value };
        const within = await client.post(path, { ...fields, response: value, rek_wrapped: value }, user);
        expect([path, value, whole.status < 500, within.status < 500]).toEqual([path, value, true, true]);
      }
  });

  inAll('limits tries per address and per passkey', () =>
    inOneMinute(async () => {
      const { baseUrl } = (replica = await api.startReplica({ RATE_LIMITS: 'true' }));
      const there = (path: string, body: unknown) => client.post(path, body, undefined, baseUrl);
      const credential = await client.register(user);
      const tries = [];
      for (let count = 0; count < 11; count += 1) tries.push(await client.signIn(credential, {}, baseUrl));
      expect(statuses(tries)).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
      expect(tries.at(-1)!.headers.get('retry-after')).toMatch(/^\d+$/);
      const other = await client.register(await api.signUp());
      expect((await client.signIn(other, {}, baseUrl)).status).toBe(200);
      const begun = await Promise.all(Array.from({ length: 61 }, () => there('login/discoverable/begin', {})));
      expect(begun.filter(({ status }) => status === 429)).toHaveLength(1);
      const finished = await Promise.all(Array.from({ length: 61 }, () => there('login/discoverable/finish', {})));
      expect(finished.some(({ status }) => status === 429)).toBe(true);
    }),
  );

  it('asks for a session where one is needed', async () => {
    for (const path of ['register/begin', 'register/finish', 'remove', 'rename'])
      expect((await client.post(path, {})).status).toBe(401);
  });
});
