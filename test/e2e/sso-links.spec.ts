import { SsoLinks } from '@app/auth';
import { ErasureRegistry } from '@app/erasure';
import type { Answer } from '../support/api.js';
import type { Browser } from '../support/browser.js';
import { authorizeAt, idOf, ORG, PLATFORM, SECRETS, SsoDeployment } from '../support/sso-deployment.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';

const link = (at: Browser, body: Record<string, unknown>): Promise<Answer> => at.post('/users/sso/link/', body);

describe('linking accounts with people at providers', () => {
  let sso: SsoDeployment;
  beforeAll(async () => {
    sso = await SsoDeployment.start();
  });
  afterAll(() => sso?.stop());

  it('links whom the session verified, moves the account into the organisation, and keeps the wrapped key', async () => {
    const who = sso.person(sso.first, 'acme.example');
    const client = await sso.api.signUp();
    const [at, exchanged] = await sso.verified(client, ORG, who);
    const sub = `subject-${who}`;
    expect(exchanged).toMatchObject({ status: 200 });
    expect(exchanged.body).toEqual({
      provider: 'sso_org',
      sub,
      email: `${who}@acme.example`,
      email_verified: true,
      id_token: expect.any(String),
      organization: 'Acme Ltd',
      organization_changed: true,
    });
    expect(await sso.sql('SELECT FROM organizations WHERE name = $1', [`${client.username} (personal)`])).toEqual([]);
    const foreign = sso.browser((await sso.api.signUp()).token);
    const notVerified = { status: 400, body: { detail: expect.any(String), code: 'link_not_verified' } };
    expect(await link(foreign, { provider: 'sso_org', sub })).toMatchObject(notVerified);
    expect(await link(at, { provider: 'sso_platform', sub })).toMatchObject(notVerified);
    expect(await link(at, { provider: 'sso_org', sub: 'another' })).toMatchObject(notVerified);
    expect(await link(at, { provider: 'sso_org' })).toMatchObject({
      status: 400,
      body: { detail: expect.any(String) },
    });
    expect(await link(at, { provider: 'other', sub })).toMatchObject({
      status: 400,
      body: { detail: expect.any(String) },
    });
    const linked = await link(at, {
      provider: 'sso_org',
      sub,
      email: 'ignored@x.example',
      rek_wrapped: 'wrapped-key',
    });
    expect(linked).toMatchObject({ status: 200 });
    expect(linked.body).toEqual({
      message: expect.any(String),
      provider: 'sso_org',
      email: `${who}@acme.example`,
      has_encryption_key: true,
    });
    expect(await link(at, { provider: 'sso_org', sub })).toMatchObject(notVerified);
    expect(JSON.stringify(await sso.sql('SELECT i::text FROM sso_identities i'))).not.toContain('wrapped-key');
    const { user, encryption_key } = await sso.signedIn(ORG, who);
    expect([user.id, encryption_key]).toEqual([await idOf(client), 'wrapped-key']);
  });

  it('replaces an earlier identity on re-linking, without its wrapped key', async () => {
    const client = await sso.api.signUp();
    const [one, two] = [sso.person(sso.second, 'elsewhere.example'), sso.person(sso.second, 'elsewhere.example')];
    const [at] = await sso.verified(client, PLATFORM, one);
    await link(at, { provider: 'sso_platform', sub: `subject-${one}`, rek_wrapped: 'k' });
    await sso.verified(client, PLATFORM, one);
    expect(await link(at, { provider: 'sso_platform', sub: `subject-${one}` })).toMatchObject({
      body: { has_encryption_key: true },
    });
    await sso.verified(client, PLATFORM, two);
    expect(await link(at, { provider: 'sso_platform', sub: `subject-${two}` })).toMatchObject({
      body: { has_encryption_key: false },
    });
    expect((await sso.signedIn(PLATFORM, two)).user.id).toBe(await idOf(client));
    expect((await sso.signedIn(PLATFORM, one)).user.id).not.toBe(await idOf(client));
  });

  it('links nobody who is linked with another account, whichever step notices', async () => {
    const who = sso.person(sso.second, 'elsewhere.example');
    const [quick, slow] = [await sso.api.signUp(), await sso.api.signUp()];
    const [atQuick] = await sso.verified(quick, PLATFORM, who);
    const [atSlow] = await sso.verified(slow, PLATFORM, who);
    const body = { provider: 'sso_platform', sub: `subject-${who}` };
    const taken = { status: 409, body: { detail: expect.any(String), code: 'already_linked_elsewhere' } };
    const answers = await Promise.all([link(atQuick, body), link(atSlow, body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject(taken);
    const [, exchanged] = await sso.verified(answers[0].status === 200 ? slow : quick, PLATFORM, who);
    expect(exchanged).toMatchObject(taken);
  });

  it('stays where it is without a free seat, or with an address of another domain', async () => {
    await sso.configure('full.example', 'acme', SECRETS.acme);
    await sso.sql(`UPDATE organizations SET seat_limit = 0 WHERE domain = 'full.example'`);
    for (const [domain, mail] of [
      ['full.example', 'full.example'],
      ['acme.example', 'elsewhere.example'],
    ]) {
      const client = await sso.api.signUp();
      const at = sso.browser(client.token);
      const back = await at.goAndReturn(authorizeAt(ORG, domain), sso.person(sso.first, mail!));
      expect(await at.post(`${ORG}/link-exchange/`, back)).toMatchObject({
        status: 200,
        body: { organization_changed: false, organization: `${client.username} (personal)` },
      });
    }
  });

  it('takes the proof of one session for no other of the same account', async () => {
    const [one, two] = [sso.person(sso.second, 'elsewhere.example'), sso.person(sso.first, 'acme.example')];
    const [here, elsewhere] = [
      sso.browser((await sso.signedIn(PLATFORM, one)).auth_token),
      sso.browser((await sso.signedIn(PLATFORM, one)).auth_token),
    ];
    const back = await here.goAndReturn(authorizeAt(ORG), two);
    expect((await here.post(`${ORG}/link-exchange/`, back)).status).toBe(200);
    const body = { provider: 'sso_org', sub: `subject-${two}` };
    expect(await link(elsewhere, body)).toMatchObject({ status: 400, body: { code: 'link_not_verified' } });
    expect((await link(here, body)).status).toBe(200);
  });

  it('neither verifies nor links for a session that ends, or an account that is closed, while it waits', async () => {
    const verifying = { who: sso.person(sso.first, 'acme.example'), client: await sso.api.signUp() };
    const linking = { who: sso.person(sso.first, 'acme.example'), client: await sso.api.signUp() };
    const at = sso.browser(verifying.client.token);
    const back = await at.goAndReturn(authorizeAt(ORG), verifying.who);
    const [linker] = await sso.verified(linking.client, ORG, linking.who);
    const ids = [await idOf(verifying.client), await idOf(linking.client)] as const;
    const { dataSource } = sso.api.database;
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT FROM users WHERE id = ANY($1) FOR UPDATE', [ids]);
    const calls = Promise.all([
      at.post(`${ORG}/link-exchange/`, back),
      link(linker, { provider: 'sso_org', sub: `subject-${linking.who}` }),
    ]);
    await until(async () => (await lockWaits(dataSource)) === 2);
    await runner.query('UPDATE users SET is_active = false WHERE id = $1', [ids[0]]);
    await runner.query('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [ids[1]]);
    await runner.commitTransaction();
    await runner.release();
    expect(await calls).toMatchObject([{ status: 401 }, { status: 401 }]);
    expect(
      await sso.sql(`SELECT o.personal FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = $1`, [
        ids[0],
      ]),
    ).toEqual([{ personal: true }]);
    expect(await sso.sql('SELECT id FROM sso_identities WHERE user_id = ANY($1)', [ids])).toEqual([]);
  });

  it('forgets after ten minutes whom a session verified', async () => {
    const who = sso.person(sso.second, 'elsewhere.example');
    const [at] = await sso.verified(await sso.api.signUp(), PLATFORM, who);
    await sso.sql(`UPDATE sso_verified_identities SET expires_at = now() - interval '1 second'`);
    expect(await link(at, { provider: 'sso_platform', sub: `subject-${who}` })).toMatchObject({
      body: { code: 'link_not_verified' },
    });
  });

  it('unlinks, but never the only way in', async () => {
    const who = sso.person(sso.second, 'elsewhere.example');
    const { auth_token } = await sso.signedIn(PLATFORM, who);
    const at = sso.browser(auth_token);
    const unlink = (provider: string) => at.post('/users/sso/unlink/', { provider });
    expect(await unlink('sso_org')).toMatchObject({ status: 404, body: { code: 'not_linked' } });
    expect(await unlink('sso_platform')).toMatchObject({ status: 409, body: { code: 'last_sign_in_method' } });
    await sso.sql(`UPDATE users SET password_hash = 'x' WHERE username = $1`, [who]);
    expect(await unlink('sso_platform')).toMatchObject({ status: 200, body: { provider: 'sso_platform' } });
    expect(await unlink('sso_platform')).toMatchObject({ status: 404 });
  });

  it('lets one of two ways in be removed when both are at once', async () => {
    const client = await sso.api.signUp();
    const [one, two] = [sso.person(sso.first, 'acme.example'), sso.person(sso.second, 'elsewhere.example')];
    const [at] = await sso.verified(client, ORG, one);
    await link(at, { provider: 'sso_org', sub: `subject-${one}` });
    await sso.verified(client, PLATFORM, two);
    await link(at, { provider: 'sso_platform', sub: `subject-${two}` });
    await sso.sql('UPDATE users SET password_hash = NULL WHERE username = $1', [client.username]);
    const answers = await Promise.all(
      ['sso_org', 'sso_platform'].map((provider) => at.post('/users/sso/unlink/', { provider })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('goes with its account: counted, exported, removed, and forgotten in time', async () => {
    const who = sso.person(sso.second, 'elsewhere.example');
    const client = await sso.api.signUp();
    const [at] = await sso.verified(client, PLATFORM, who);
    await link(at, { provider: 'sso_platform', sub: `subject-${who}` });
    await sso.verified(client, PLATFORM, who);
    const [id, other] = [await idOf(client), await idOf(await sso.api.signUp())];
    const owned = sso.api.jobs
      .get(ErasureRegistry, { strict: false })
      .list()
      .find(({ name }) => name === 'sso')!;
    expect([await owned.countFor(id), await owned.countFor(other)]).toEqual([2, 0]);
    const files: string[] = [];
    for await (const { content } of owned.exportFor!(id)) files.push(String(content));
    expect(JSON.parse(files[0]!)).toMatchObject([{ provider: 'sso_platform', subject: `subject-${who}` }]);
    const { manager } = sso.api.database.dataSource;
    expect([await owned.deleteSome(id, manager), await owned.deleteSome(id, manager)]).toEqual([2, 0]);
    await sso.sql(`UPDATE sso_verified_identities SET expires_at = now() - interval '1 second'`);
    await sso.api.app.get(SsoLinks, { strict: false }).purge();
    expect(await sso.sql('SELECT FROM sso_verified_identities')).toEqual([]);
  });
});
