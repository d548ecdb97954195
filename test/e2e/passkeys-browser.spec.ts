import type { Browser, Page } from 'playwright-core';
import { startApi, type TestApi } from '../support/api.js';
import {
  findChromium,
  launchChromium,
  newPage,
  type StoredCredential,
  VirtualAuthenticator,
} from '../support/browser-chromium.js';
import { servePage } from '../support/browser-page.js';
import type { HttpClient } from '../support/http-client.js';

const executable = findChromium();
if (!executable)
  process.stderr.write(
    'SKIPPED: passkeys in a real browser. No Chromium is on the PATH: install one, or name it in ATRIUM_CHROMIUM.\n',
  );

const quoted = (value: unknown) => JSON.stringify(value);

type Answer = { status: number; body: Record<string, unknown>; credential: { id: string } };

(executable ? describe : describe.skip)('passkeys in a real browser', () => {
  let api: TestApi;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof servePage>>;
  let otherSite: Awaited<ReturnType<typeof servePage>>;
  let user: HttpClient;
  let page: Page;
  let authenticator: VirtualAuthenticator;

  beforeAll(async () => {
    [site, otherSite] = await Promise.all([servePage(), servePage()]);
    api = await startApi({
      CORS_ORIGINS: `${site.origin},${otherSite.origin}`,
      WEBAUTHN_ORIGINS: site.origin,
      COOKIE_SECURE: 'false',
    });
    for (const served of [site, otherSite]) served.callFrom(api.baseUrl.replace('127.0.0.1', 'localhost'));
    browser = await launchChromium(executable!);
  });
  beforeEach(async () => {
    user = await api.signUp();
    page = await open(site.origin);
    authenticator = await VirtualAuthenticator.plugInto(page);
  });
  afterEach(() => page?.context().close());
  afterAll(async () => {
    await browser?.close();
    await Promise.all([api?.stop(), site?.stop(), otherSite?.stop()]);
  });

  async function open(origin: string): Promise<Page> {
    const opened = await newPage(browser);
    await opened.goto(origin);
    return opened;
  }
  const run = <T = Answer>(expression: string, where = page) => where.evaluate<T>(expression);
  const add = (name: string, where = page) => run(`addPasskey(${quoted(user.token)}, ${quoted(name)})`, where);
  const signIn = (where = page) => run('signIn()', where);
  const list = () => user.get<{ id: number; name: string; credential_id: string }[]>('/users/passkeys/');
  const refused = { status: 400, body: { code: 'passkey_not_recognised' } };

  it('registers several named passkeys and signs in with them', async () => {
    expect(await add('Laptop')).toMatchObject({
      status: 201,
      body: { passkey: { name: 'Laptop', transports: ['internal'], device_type: 'singleDevice', backed_up: false } },
    });
    // The browser knows that this authenticator holds one already; another authenticator may hold the next.
    await expect(add('Again')).rejects.toThrow('previously registered');
    await authenticator.unplug();
    const phone = await VirtualAuthenticator.plugInto(page, { synchronised: true });
    expect(await add('Phone')).toMatchObject({
      status: 201,
      body: { passkey: { name: 'Phone', device_type: 'multiDevice', backed_up: true } },
    });
    expect((await list()).map(({ name }) => name)).toEqual(['Phone', 'Laptop']);
    expect(await phone.credentials()).toHaveLength(1);

    const session = await signIn();
    expect(session).toMatchObject({ status: 200, body: { user: { username: user.username } } });
    const token = String(session.body['auth_token']);
    const me = await run(`call('GET', '/users/me/', undefined, ${quoted(token)})`);
    expect(me).toMatchObject({ status: 200, body: { info: { auth_methods: { passkey: true } } } });
    // The cookie came along, although the api is on another origin.
    expect((await run(`call('POST', '/api/v1/auth/refresh/', {})`)).status).toBe(200);
  });

  it('signs in from the autofill of a form', async () => {
    await add('Laptop');
    expect(await run<boolean>('PublicKeyCredential.isConditionalMediationAvailable()')).toBe(true);
    expect(await run('signIn(true)')).toMatchObject({ status: 200, body: { user: { username: user.username } } });
  });

  it('refuses a replayed answer', async () => {
    const added = await add('Laptop');
    const again = `post('register/finish/', ${quoted(added.credential)}, ${quoted(user.token)})`;
    expect(await run(again)).toMatchObject({ status: 400, body: { code: 'ceremony_expired' } });
    const { status, credential } = await signIn();
    expect(status).toBe(200);
    expect(await run(`post('login/discoverable/finish/', ${quoted({ credential })})`)).toMatchObject(refused);
  });

  it('refuses a credential that is not registered here', async () => {
    await add('Laptop');
    const [own] = await authenticator.credentials();
    await authenticator.remove(own!.credentialId);
    await authenticator.put({ ...own!, credentialId: Buffer.from('a credential of another').toString('base64') });
    expect(await signIn()).toMatchObject(refused);
  });

  it('refuses a page on another port', async () => {
    await add('Laptop');
    const [credential] = await authenticator.credentials();
    const elsewhere = await open(otherSite.origin);
    const copy = await VirtualAuthenticator.plugInto(elsewhere);
    expect(await add('Elsewhere', elsewhere)).toMatchObject({ status: 400, body: { code: 'verification_failed' } });
    for (const { credentialId } of await copy.credentials()) await copy.remove(credentialId);
    await copy.put(credential!);
    expect(await signIn(elsewhere)).toMatchObject(refused);
    expect((await signIn()).status).toBe(200);
    await elsewhere.context().close();
  });

  it('refuses a removed passkey, and keeps the last way to sign in', async () => {
    await add('Laptop');
    const id = (await list())[0]!.id;
    await api.database.dataSource.query('UPDATE users SET password_hash = NULL WHERE username = $1', [user.username]);
    const remove = () => run(`post('remove/', { id: ${id} }, ${quoted(user.token)})`);
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'last_sign_in_method' } });
    expect((await signIn()).status).toBe(200);
    await api.database.dataSource.query(`UPDATE users SET password_hash = 'x' WHERE username = $1`, [user.username]);
    expect(await remove()).toMatchObject({ status: 200, body: { passkey_count: 0, auth_method_count: 1 } });
    expect(await signIn()).toMatchObject(refused);
  });

  it('refuses a copy of a key that counts from before', async () => {
    await add('Laptop');
    const [early] = (await authenticator.credentials()) as [StoredCredential];
    for (let use = 0; use < 3; use += 1) expect((await signIn()).status).toBe(200);
    const [late] = (await authenticator.credentials()) as [StoredCredential];
    expect(late.signCount).toBeGreaterThan(early.signCount + 1);
    await authenticator.remove(late.credentialId);
    await authenticator.put(early);
    expect(await signIn()).toMatchObject(refused);
    await authenticator.remove(early.credentialId);
    await authenticator.put({ ...late, signCount: late.signCount + 100 });
    expect(await signIn()).toMatchObject(refused);
  });
});
