import { type Answer, call, postJson, startApi, type TestApi } from '../support/api.js';
import { rounds } from '../support/long.js';
import { codeMailedTo, mailsTo, textsTo } from '../support/outbox.js';

/** The bar is 500 tries: `ATRIUM_RACES=500`. */
const RACES = Number(process.env.ATRIUM_RACES ?? rounds(60, 12));

let counter = 0;
const person = (over: Record<string, unknown> = {}) => {
  const username = `guest${(counter += 1)}`;
  return { username, email: `${username}@mail.example`, password: 'kite-over-hill', ...over };
};
type Person = ReturnType<typeof person>;
const seen = ({ status, body }: Answer) => [status, body];
const refusal = (message: string) => [400, { non_field_errors: [message] }];
const WRONG_CODE = [400, { message: 'The code is invalid or has expired.', code: 'invalid_code' }];
const WRONG_PROMO = [400, { promo_code: ['This promo code is unknown or has already been redeemed.'] }];

function client(api: TestApi) {
  const post = (path: string, body: unknown, headers = {}) => postJson(api.baseUrl + path, body, headers);
  const { dataSource } = api.database;
  return {
    register: (body: unknown, headers = {}) => post('/api/v1/users/', body, headers),
    verify: (otp: string, more = {}) => post('/users/verify/', { otp, ...more }),
    resend: (email: string) => post('/users/verify/resend/', { email }),
    login: ({ username, password }: Person) => post('/api/v1/token/login/', { username, password }),
    sendText: (token: string, headers = {}) =>
      post('/users/verify/number/', {}, { authorization: `Token ${token}`, ...headers }),
    verifyNumber: (token: string, query: string) =>
      call(`${api.baseUrl}/users/verify/number/${query}`, { headers: { authorization: `Token ${token}` } }),
    me: async (token: string) => {
      const { body } = await call(`${api.baseUrl}/users/me/`, { headers: { authorization: `Token ${token}` } });
      return (body as { info: Record<string, unknown> }).info;
    },
    promoCode: (code: string, expires = 'NULL') =>
      dataSource.query(`INSERT INTO promo_codes (code, expires_at) VALUES ($1, ${expires})`, [code]),
    async tokenOf(account: Person): Promise<string> {
      return ((await this.login(account)).body as { auth_token: string }).auth_token;
    },
  };
}

describe('registration', () => {
  let api: TestApi;
  let atrium: ReturnType<typeof client>;
  beforeAll(async () => {
    api = await startApi();
    atrium = client(api);
  });
  afterAll(() => api.stop());

  it('mails a code in the language that the client prefers, and keeps nothing of it', async () => {
    const english = person({ first_name: 'Ada' });
    const arabic = person();
    await atrium.register(english);
    await atrium.register(arabic, { 'accept-language': 'ar-EG, ar;q=0.9, en;q=0.5' });
    expect((await mailsTo(api, english.email))[0]!.text).toContain('Hello Ada,');
    expect((await mailsTo(api, arabic.email))[0]!.html).toContain('dir="rtl"');
    const code = await codeMailedTo(api, english.email);
    const rows = await api.database.dataSource.query<{ row: string }[]>('SELECT c::text AS row FROM one_time_codes c');
    expect(rows.map(({ row }) => row).join()).not.toContain(code);
  });

  it('puts people into the organisation of their domain, unless it is full', async () => {
    await api.database.dataSource.query(
      `INSERT INTO organizations (name, domain, seat_limit) VALUES ('Acme', 'acme.example', 1)`,
    );
    const first = person({ email: 'first@ACME.example' });
    const second = person({ email: 'second@acme.example' });
    await atrium.register(first);
    expect((await atrium.register(second)).status).toBe(201);
    const info = await atrium.me(await atrium.tokenOf(first));
    expect(info).toMatchObject({ organization: 'Acme', roles: ['General'], verified: false, email_verified: false });
    expect(info.llm_model).not.toBe('');
    expect(await atrium.me(await atrium.tokenOf(second))).toMatchObject({
      organization: `${second.username} (personal)`,
    });
  });

  it('approves whoever brings a promo code, once, in any case, and not after its time', async () => {
    await atrium.promoCode('SPRING-1');
    await atrium.promoCode('OLD-1', `now() - interval '1 second'`);
    const account = person({ promo_code: ' spring-1 ' });
    expect((await atrium.register(account)).status).toBe(201);
    expect(await atrium.me(await atrium.tokenOf(account))).toMatchObject({ verified: true });
    for (const promo_code of ['SPRING-1', 'OLD-1', 'NONE'])
      expect(seen(await atrium.register(person({ promo_code })))).toEqual(WRONG_PROMO);
  });

  it('lets exactly one of several have a promo code, or a name', async () => {
    for (let round = 0; round < RACES; round += 1) {
      await atrium.promoCode(`RACE-${round}`);
      const byCode = [person(), person(), person()].map((one) => ({ ...one, promo_code: `RACE-${round}` }));
      const byName = [person(), person(), person()].map((one) => ({ ...one, username: `racer${round}` }));
      const [codes, names] = await Promise.all(
        [byCode, byName].map((people) => Promise.all(people.map((one) => atrium.register(one)))),
      );
      expect(codes!.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
      expect(names!.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
      expect(seen(codes!.find(({ status }) => status === 400)!)).toEqual(WRONG_PROMO);
      expect(seen(names!.find(({ status }) => status === 400)!)).toEqual([
        400,
        { username: ['A user with that username already exists.'] },
      ]);
    }
    const [left] = await api.database.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM users u WHERE verified AND NOT EXISTS (SELECT FROM promo_codes WHERE redeemed_by_id = u.id)`,
    );
    expect(left.count).toBe(0);
  });

  it('takes a code once, from whoever has it', async () => {
    const account = person();
    await atrium.register(account);
    const code = await codeMailedTo(api, account.email);
    expect(seen(await atrium.verify(code, { email: 'other@mail.example' }))).toEqual(WRONG_CODE);
    const answers = await Promise.all(Array.from({ length: 8 }, () => atrium.verify(code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
    expect(answers.find(({ status }) => status === 200)!.body).toEqual({ message: 'Your email address is verified.' });
    expect(await atrium.me(await atrium.tokenOf(account))).toMatchObject({ email_verified: true });
    expect(seen(await atrium.resend(account.email))).toEqual([
      200,
      { message: 'This email address is already verified.' },
    ]);
  });

  it('voids a code after ten minutes, after five wrong ones, and when a new one is sent', async () => {
    const account = person();
    await atrium.register(account);
    const first = await codeMailedTo(api, account.email);
    expect(seen(await atrium.resend(account.email.toUpperCase()))).toEqual([
      200,
      { message: 'A new code was sent to your email address.' },
    ]);
    const second = await codeMailedTo(api, account.email, 2);
    if (first !== second) expect(seen(await atrium.verify(first))).toEqual(WRONG_CODE);
    const wrong = second === '111111' ? '222222' : '111111';
    for (let tries = 0; tries < 5; tries += 1) await atrium.verify(wrong, { email: account.email });
    expect(seen(await atrium.verify(second))).toEqual(WRONG_CODE);
    await atrium.resend(account.email);
    const third = await codeMailedTo(api, account.email, 3);
    await api.database.dataSource.query(
      `UPDATE one_time_codes SET expires_at = expires_at - interval '10 minutes' WHERE destination = $1`,
      [account.email],
    );
    expect(seen(await atrium.verify(third))).toEqual(WRONG_CODE);
  });

  it('answers what is no code, and addresses that nobody has', async () => {
    expect(seen(await atrium.verify('12 34'))).toEqual(WRONG_CODE);
    expect((await atrium.verify('')).status).toBe(400);
    expect(seen(await atrium.resend('nobody@mail.example'))).toEqual([
      404,
      { message: 'No account has this email address.', code: 'not_found' },
    ]);
  });

  it('confirms a phone by a text message to the number of the profile', async () => {
    const bare = person();
    const account = person({ phone: 4915112345678 });
    for (const one of [bare, account]) await atrium.register(one);
    const token = await atrium.tokenOf(account);
    expect(seen(await atrium.sendText(await atrium.tokenOf(bare)))).toEqual([
      400,
      { error: 'Add a phone number to your profile first.', code: 'phone_missing' },
    ]);
    expect(seen(await atrium.sendText(token))).toEqual([200, { message: 'A code was sent to your phone.' }]);
    const code = /\b\d{6}\b/.exec((await textsTo(api, '4915112345678'))[0]!.split('\n\n')[1]!)![0];
    expect(seen(await atrium.verifyNumber(token, ''))).toEqual([
      400,
      { message: 'The token is missing.', code: 'token_missing' },
    ]);
    const unknown = [404, { message: 'The code was not recognised.', code: 'code_not_recognised' }];
    expect(seen(await atrium.verifyNumber(await atrium.tokenOf(bare), `?token=${code}`))).toEqual(unknown);
    expect(seen(await atrium.verifyNumber(token, `?token=${'1'.repeat(50)}`))).toEqual(unknown);
    expect(seen(await atrium.verifyNumber(token, `?token=${code}`))).toEqual([
      200,
      { message: 'Your phone number is verified.' },
    ]);
    expect(seen(await atrium.verifyNumber(token, `?token=${code}`))).toEqual(unknown);
    expect(await atrium.me(token)).toMatchObject({ number_verified: true });
  });

  it('sends one text message to who repeats the call under its key', async () => {
    const account = person({ phone: 4915112345679 });
    await atrium.register(account);
    const token = await atrium.tokenOf(account);
    const answers = [];
    for (let i = 0; i < 2; i += 1) answers.push(await atrium.sendText(token, { 'idempotency-key': 'a-text' }));
    expect(answers.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    await atrium.sendText(token);
    expect(await textsTo(api, '4915112345679', 2)).toHaveLength(2);
  });

  it('lets nobody guess a phone code, and confirms no number that has changed', async () => {
    const account = person({ phone: 4915100000001 });
    await atrium.register(account);
    const token = await atrium.tokenOf(account);
    const codeOf = async (count: number) =>
      /\b\d{6}\b/.exec((await textsTo(api, '4915100000001', count)).at(-1)!.split('\n\n')[1]!)![0];
    await atrium.sendText(token);
    const code = await codeOf(1);
    const wrong = code === '111111' ? '222222' : '111111';
    await Promise.all(Array.from({ length: 8 }, () => atrium.verifyNumber(token, `?token=${wrong}`)));
    expect((await atrium.verifyNumber(token, `?token=${code}`)).status).toBe(404);
    await atrium.sendText(token);
    const next = await codeOf(2);
    await api.database.dataSource.query('UPDATE users SET phone = 4915100000002 WHERE username = $1', [
      account.username,
    ]);
    expect((await atrium.verifyNumber(token, `?token=${next}`)).status).toBe(404);
    expect(await atrium.me(token)).toMatchObject({ number_verified: false });
  });
});

describe('registration where accounts are checked', () => {
  let api: TestApi;
  let atrium: ReturnType<typeof client>;
  beforeAll(async () => {
    const settings = { EMAIL_VERIFICATION: 'true', REVIEWER_EMAILS: 'boss@acme.example', RATE_LIMITS: 'true' };
    api = await startApi({ ...settings, RATE_LIMIT_PER_IP: '1000' });
    atrium = client(api);
  });
  afterAll(() => api.stop());

  it('opens the door step by step: code, approval, sign-in', async () => {
    await atrium.promoCode('VIP');
    const invited = person({ promo_code: 'VIP' });
    const other = person();
    for (const one of [invited, other]) await atrium.register(one);
    expect(seen(await atrium.login(invited))).toEqual(refusal('Email address is not verified.'));
    expect(seen(await atrium.login(other))).toEqual(refusal('User account is not verified.'));
    expect((await atrium.verify(await codeMailedTo(api, invited.email))).body).toEqual({
      message: 'Your email address is verified.',
    });
    expect((await atrium.login(invited)).status).toBe(200);
    expect((await atrium.verify(await codeMailedTo(api, other.email))).body).toEqual({
      message: 'Your email address is verified. Your account is awaiting approval.',
    });
    expect((await mailsTo(api, 'boss@acme.example'))[0]!.text).toContain(`${other.username} (${other.email})`);
    expect(seen(await atrium.login(other))).toEqual(refusal('User account is not verified.'));
  });

  it('slows down who guesses codes or asks for many', async () => {
    for (let tries = 0; tries < 10; tries += 1) expect((await atrium.verify('000000')).status).toBe(400);
    const blocked = await atrium.verify('000000');
    expect(seen(blocked)).toEqual([
      429,
      { detail: expect.stringMatching(/^Request was throttled\./), code: 'throttled' },
    ]);
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(500);
    const account = person();
    await atrium.register(account);
    for (const email of [account.email, 'nobody@mail.example']) {
      for (let tries = 0; tries < 5; tries += 1) expect((await atrium.resend(email)).status).not.toBe(429);
      expect((await atrium.resend(email)).status).toBe(429);
    }
  });
});

it('counts the addresses of one IPv6 network together', async () => {
  const api = await startApi({ RATE_LIMITS: 'true', RATE_LIMIT_PER_IP: '1000', TRUSTED_PROXY_HOPS: '1' });
  const guess = async (from: string) =>
    (await postJson(`${api.baseUrl}/users/verify/`, { otp: '000000' }, { 'x-forwarded-for': from })).status;
  const statuses = [];
  for (let host = 1; host <= 11; host += 1) statuses.push(await guess(`2001:db8:0:1::${host.toString(16)}`));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
  expect(await guess('2001:db8:0:2::1')).toBe(400);
  await api.stop();
});

it('tells the administrators where no reviewers are named', async () => {
  const api = await startApi({ EMAIL_VERIFICATION: 'true' });
  const atrium = client(api);
  const [chief, retired, waiting] = [person(), person(), person()];
  for (const one of [chief, retired, waiting]) await atrium.register(one);
  await api.database.dataSource.query(
    `UPDATE users SET is_staff = true, language = 'ar', is_active = username = $1 WHERE username = ANY($2)`,
    [chief.username, [chief.username, retired.username]],
  );
  await atrium.verify(await codeMailedTo(api, waiting.email));
  expect((await mailsTo(api, chief.email, 2)).at(-1)!.text).toContain(`${waiting.username} (${waiting.email})`);
  expect(await mailsTo(api, retired.email)).toHaveLength(1);
  await api.stop();
});

it('is refused where accounts come from single sign-on alone', async () => {
  const api = await startApi({ REGISTRATION: 'sso_only' });
  expect(seen(await client(api).register(person()))).toEqual([
    403,
    { detail: expect.any(String), code: 'registration_disabled' },
  ]);
  await api.stop();
});
