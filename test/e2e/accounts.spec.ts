import { type Answer, call, postJson, startApi, type TestApi } from '../support/api.js';

const fields = (answer: Answer) => [answer.status, answer.body];

describe('accounts', () => {
  let api: TestApi;
  let count = 0;
  const url = (path: string) => api.baseUrl + path;
  const name = () => `guest${(count += 1)}`;
  const register = (body: Record<string, unknown>) => postJson(url('/api/v1/users/'), body);
  const complete = (over: Record<string, unknown> = {}) => {
    const username = name();
    return { username, email: `${username}@mail.example`, password: 'kite-over-hill', ...over };
  };
  async function tokenOf(body: Record<string, unknown>): Promise<string> {
    const answer = await postJson(url('/api/v1/token/login/'), { username: body.username, password: body.password });
    return (answer.body as { auth_token: string }).auth_token;
  }
  const check = (query: Record<string, unknown>) => postJson(url('/users/check/availability/'), query);
  const me = async (token: string) => {
    const answer = await call(url('/users/me/'), { headers: { authorization: `Token ${token}` } });
    return (answer.body as { info: Record<string, unknown> }).info;
  };

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it('registers and echoes neither password nor promo code', async () => {
    const body = complete({ first_name: 'Grace', last_name: 'Hopper', phone: 4912345678901, promo_code: '' });
    expect(fields(await register(body))).toEqual([
      201,
      {
        id: expect.any(Number),
        username: body.username,
        email: body.email,
        first_name: 'Grace',
        last_name: 'Hopper',
        phone: 4912345678901,
      },
    ]);
    const minimal = complete();
    expect((await register(minimal)).body).toMatchObject({ first_name: '', last_name: '', phone: null });
  });

  it('gives the User object of the contract', async () => {
    const body = complete({ phone: 4912345678901 });
    await register(body);
    const info = await me(await tokenOf(body));
    expect(info).toEqual({
      id: expect.any(Number),
      first_name: '',
      last_name: '',
      username: body.username,
      email: body.email,
      phone: 4912345678901,
      llm_model: expect.stringMatching(/quoting/i),
      language: 'en',
      organization: `${body.username} (personal)`,
      last_login: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      verified: false,
      email_verified: false,
      use_cloud: false,
      number_verified: false,
      is_first_time: true,
      roles: ['General'],
      is_staff: false,
      dedicated_agent: false,
      dedicated_agent_status: null,
      date_joined: expect.stringMatching(/Z$/),
      is_sso: false,
      auth_methods: { password: true, passkey: false, sso_org: false, sso_platform: false },
      plan: null,
      entitlements: expect.objectContaining({
        plan_code: '',
        owner_type: 'none',
        monthly_workflow_runs: null,
        enforced: false,
      }),
      plan_required: false,
    });
  });

  it('acknowledges the first visit once', async () => {
    const body = complete();
    await register(body);
    const token = await tokenOf(body);
    const acknowledge = () => call(url('/users/me/'), { method: 'POST', headers: { authorization: `Token ${token}` } });
    expect(fields(await acknowledge())).toEqual([200, { is_first_time: true }]);
    expect(fields(await acknowledge())).toEqual([200, { is_first_time: false }]);
    expect((await me(token)).is_first_time).toBe(false);
  });

  it('lists the embedded model, which is everybody’s default', async () => {
    const client = await api.signUp();
    expect(await client.get('/users/models/')).toEqual([
      {
        id: 1,
        source: 'settings',
        name: expect.any(String),
        value: expect.any(String),
        provider: 'embedded',
        capability: 'chat',
        description: expect.any(String),
        details: [],
        on_premises: true,
        created_at: expect.stringMatching(/Z$/),
        context_window: null,
        supports: { tools: false, structured_output: false, images: false, documents: false, reasoning: false },
        is_default: true,
      },
    ]);
  });

  it('places people of a known domain in its organisation', async () => {
    await api.database.dataSource.query(`INSERT INTO organizations (name, domain) VALUES ('Acme', 'acme.example')`);
    const body = complete({ email: `${name()}@ACME.example` });
    await register(body);
    expect((await me(await tokenOf(body))).organization).toBe('Acme');
  });

  it('takes names of people in one line, that read as they are written', async () => {
    for (const first_name of ['Ann\r\nBcc: x', 'a\tb', 'a\u2028b', 'a\u202eb'])
      expect(fields(await register(complete({ first_name })))).toEqual([
        400,
        { first_name: ['A name is one line, without control characters.'] },
      ]);
    for (const last_name of ['O’Neil-Müller 💐', 'عبد الله', 'Le\u200cla'])
      expect(await register(complete({ last_name }))).toMatchObject({ status: 201, body: { last_name } });
  });

  it('names everything that is missing or wrong, all at once', async () => {
    expect(fields(await register({}))).toEqual([
      400,
      {
        username: ['This field is required.'],
        email: ['This field is required.'],
        password: ['This field is required.'],
      },
    ]);
    expect(
      fields(await register({ username: 'a b', email: 'nobody', password: 7.5, phone: 'call me', first_name: {} })),
    ).toEqual([
      400,
      {
        username: [expect.stringContaining('Enter a valid username.')],
        email: ['Enter a valid email address.'],
        phone: ['A valid integer is required.'],
        first_name: ['Not a valid string.'],
      },
    ]);
    expect(fields(await register(complete({ username: 'x'.repeat(5000) })))).toEqual([
      400,
      { username: ['Ensure this field has no more than 150 characters.'] },
    ]);
    for (const username of ['.', '..'])
      expect(fields(await register(complete({ username })))).toEqual([
        400,
        { username: [expect.stringContaining('Enter a valid username.')] },
      ]);
    expect(fields(await register(complete({ username: 'nul\0' })))).toEqual([
      400,
      { username: ['Null characters are not allowed.'] },
    ]);
    expect(fields(await register(complete({ promo_code: 'FREE' })))).toEqual([
      400,
      { promo_code: [expect.any(String)] },
    ]);
  });

  it('checks passwords in the words of the contract', async () => {
    const username = 'ada.lovelace';
    const problems = async (password: string) =>
      ((await register(complete({ username, password }))).body as Record<string, string[]>).password;
    expect(await problems('lovelace.ada')).toEqual(['The password is too similar to the username.']);
    expect(await problems('x9!k')).toEqual(['This password is too short. It must contain at least 8 characters.']);
    expect(await problems('password123')).toEqual(['This password is too common.']);
    expect(await problems('90817263540')).toEqual(['This password is entirely numeric.']);
  });

  it('takes each name and address once, whatever the case, also when both come at the same time', async () => {
    const body = complete();
    await register(body);
    const taken = { username: ['A user with that username already exists.'] };
    expect(fields(await register(complete({ username: body.username.toUpperCase() })))).toEqual([400, taken]);
    expect(fields(await register(complete({ email: body.email.toUpperCase() })))).toEqual([
      400,
      { email: ['A user with that email already exists.'] },
    ]);
    const twin = complete();
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => register(twin)))).map((answer) => answer.status);
    expect(statuses.sort()).toEqual([201, 400, 400, 400]);
  });

  it('takes names and passwords that look the same for the same, whichever keyboard they come from', async () => {
    const body = complete({ password: 'Cafe\u0301 noir 7!' });
    const username = `zoe\u0308${body.username}`;
    const composed = username.normalize('NFC');
    expect((await register({ ...body, username })).body).toMatchObject({ username: composed });
    const signedIn = { auth_token: expect.any(String) };
    for (const password of ['Cafe\u0301 noir 7!', 'Caf\u00e9 noir 7!'])
      for (const name of [username, composed])
        expect((await postJson(url('/api/v1/token/login/'), { username: name, password })).body).toMatchObject(
          signedIn,
        );
    const wide = [...composed].map((char) => (char === 'z' ? '\uff5a' : char)).join('');
    expect((await check({ username: wide })).body).toMatchObject({ username: { available: false } });
    expect(fields(await register({ ...complete(), username: wide }))[0]).toBe(400);
  });

  it('does not let a name pass for somebody else’s address', async () => {
    const victim = complete();
    await register(victim);
    expect((await register(complete({ username: victim.email }))).body).toEqual({ username: [expect.any(String)] });
  });

  it('takes forms with the same field names', async () => {
    const body = complete({ phone: '4912345678901' });
    const encoded = await call(url('/api/v1/users/'), {
      method: 'POST',
      body: new URLSearchParams(body as Record<string, string>),
    });
    expect(encoded).toMatchObject({ status: 201, body: { phone: 4912345678901 } });
    const form = new FormData();
    for (const [key, value] of Object.entries(complete({ phone: '' }))) form.append(key, String(value));
    expect(await call(url('/api/v1/users/'), { method: 'POST', body: form })).toMatchObject({
      status: 201,
      body: { phone: null },
    });
  });

  it('says whether a name or an address is free', async () => {
    const body = complete();
    await register(body);
    expect(fields(await check({ username: body.username.toUpperCase(), email: 'free@mail.example' }))).toEqual([
      200,
      {
        username: { available: false, message: expect.any(String) },
        email: { available: true, message: expect.any(String) },
      },
    ]);
    expect((await check({ email: body.email })).body).toEqual({
      email: { available: false, message: expect.any(String) },
    });
    expect((await check({ username: 'not ok' })).body).toMatchObject({ username: { available: false } });
    // As registration has it: a name with an @ is one's own address, where that is known.
    const borrowed = { username: 'free@mail.example', email: 'other@mail.example' };
    expect((await check(borrowed)).body).toMatchObject({ username: { available: false }, email: { available: true } });
    for (const free of [{ username: 'free@mail.example' }, { ...borrowed, email: 'FREE@mail.example' }])
      expect((await check(free)).body).toMatchObject({ username: { available: true } });
    // Nobody else may be called like somebody's address, nor anybody like what is none.
    for (const username of [body.email, String(body.email).toUpperCase(), 'a@b', '@nn'])
      expect((await check({ username })).body).toMatchObject({ username: { available: false } });
    expect(fields(await check({}))).toEqual([400, { error: expect.any(String), code: 'username_or_email_required' }]);
  });
});
