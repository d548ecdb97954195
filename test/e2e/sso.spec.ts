import { AuditLog } from '@app/audit';
import { SsoCredentials, SsoFlows } from '@app/auth';
import { SealingService } from '@app/secrets';
import { postJson } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import {
  authorizeAt,
  idOf,
  ORG,
  PLATFORM,
  redirectUri,
  SECRETS,
  type SignedIn,
  SsoDeployment,
} from '../support/sso-deployment.js';

describe('single sign-on with two issuers that use the same subjects', () => {
  let sso: SsoDeployment;
  beforeAll(async () => {
    sso = await SsoDeployment.start();
  });
  afterAll(() => sso?.stop());

  async function sealedFor(domain: string, secret: string): Promise<Buffer> {
    const [row] = await sso.sql<{ id: number }>('SELECT id FROM organizations WHERE domain = $1', [domain]);
    return sso.api.app
      .get(SealingService)
      .seal(secret, { table: 'organization_sso', column: 'client_secret_sealed', row: row!.id });
  }

  describe('authorize', () => {
    it('asks the provider with PKCE, nonce and a state, for a domain or a whole address', async () => {
      const at = sso.browser();
      const answer = await at.get(`${ORG}/authorize/?domain=Ada@ACME.example`);
      const { auth_url, state } = answer.body as { auth_url: string; state: string };
      const url = new URL(auth_url);
      expect(url.origin).toBe(sso.first.url);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        client_id: 'acme',
        response_type: 'code',
        redirect_uri: redirectUri('sso_org'),
        scope: 'openid email profile',
        state,
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
        login_hint: 'Ada@ACME.example',
      });
      const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('sso_flow='))!;
      expect(
        cookie
          .split('; ')
          .slice(1)
          .filter((part) => !part.startsWith('Expires=')),
      ).toEqual(['Max-Age=600', 'Path=/api/v1/auth/', 'HttpOnly', 'Secure', 'SameSite=None']);
      const stored = JSON.stringify(await sso.sql('SELECT f::text FROM sso_flows f'));
      for (const secret of [state, url.searchParams.get('nonce')!, at.cookie('sso_flow')!])
        for (const form of [secret, Buffer.from(secret).toString('hex')]) expect(stored).not.toContain(form);
      const platform = await sso.browser().begin(`${PLATFORM}/authorize/`);
      expect(new URL(platform.authUrl).searchParams.get('prompt')).toBe('select_account');
    });

    it('names what is missing', async () => {
      expect(await sso.browser().get(`${ORG}/authorize/`)).toMatchObject({
        status: 400,
        body: { detail: expect.any(String) },
      });
      expect(await sso.browser().get(`${ORG}/authorize/?domain=nonsense`)).toMatchObject({ status: 400 });
      expect(await sso.browser().get(`${ORG}/authorize/?domain=ada@unknown.example`)).toEqual(
        expect.objectContaining({
          status: 404,
          body: {
            detail: expect.any(String),
            code: 'credentials_not_found',
            need_credentials: true,
            domain: 'unknown.example',
          },
        }),
      );
    });

    it('leads on to listed paths of the web app only, and hands them back', async () => {
      const at = sso.browser();
      const who = sso.person(sso.second, 'elsewhere.example');
      const back = await at.goAndReturn(`${PLATFORM}/authorize/?redirect_path=/boards/7?tab=2`, who);
      expect(await at.post(`${PLATFORM}/callback/`, back)).toMatchObject({
        body: { redirect_path: '/boards/7?tab=2' },
      });
      for (const path of [
        '//evil.example',
        '/\\evil.example',
        'https://evil.example',
        '/boards/../admin',
        '/x',
        'boards/1',
      ])
        expect(await at.get(`${PLATFORM}/authorize/?redirect_path=${encodeURIComponent(path)}`)).toMatchObject({
          status: 400,
          body: { code: 'invalid_redirect_path' },
        });
    });
  });

  describe('callback', () => {
    it('works again once an operator has replaced credentials that the provider does not take any more', async () => {
      const who = sso.person(sso.first, 'acme.example');
      const { app, database } = sso.api;
      const credentials = new SsoCredentials(database.dataSource, app.get(SealingService), app.get(AuditLog));
      const replace = (secret: string) => credentials.replace('ACME.example', 'acme', secret);
      await replace('ended');
      const at = sso.browser();
      const refused = await at.post(`${ORG}/callback/`, await at.goAndReturn(authorizeAt(ORG), who));
      expect(refused.status).not.toBe(200);
      await replace(SECRETS.acme);
      expect((await sso.signedIn(ORG, who)).user).toMatchObject({ email: `${who}@acme.example` });
    });

    it('makes the account in the organisation, then finds it again by its subject alone', async () => {
      const who = sso.person(sso.first, 'acme.example', { given_name: 'Ada', family_name: 'Love' });
      const at = sso.browser();
      const answer = await at.post(`${ORG}/callback/`, await at.goAndReturn(authorizeAt(ORG), who));
      expect(answer.body).toEqual({
        auth_token: expect.any(String),
        expires_in: 86_400,
        id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        user: expect.objectContaining({
          first_name: 'Ada',
          last_name: 'Love',
          username: who,
          email: `${who}@acme.example`,
          organization: 'Acme Ltd',
          verified: true,
          email_verified: true,
          is_sso: true,
          roles: ['General'],
          auth_methods: { password: false, passkey: false, sso_org: true, sso_platform: false },
        }),
      });
      expect(at.cookie('refresh_token')).toMatch(/^[\w-]{43}$/);
      const { user, id_token } = answer.body as SignedIn;
      sso.first.people.set(who, { sub: `subject-${who}`, email: `renamed-${who}@acme.example`, email_verified: true });
      expect((await sso.signedIn(ORG, who)).user).toMatchObject({ id: user.id, email: `${who}@acme.example` });
      expect(await auditedActions(sso.api.database.dataSource, { subjectId: user.id })).toEqual(
        expect.arrayContaining(['account.provisioned', 'session.begun']),
      );
      const dump = JSON.stringify(
        await Promise.all(
          ['audit_inbox', 'sso_identities', 'organization_sso', 'sso_flows'].map((t) =>
            sso.sql(`SELECT t::text FROM ${t} t`),
          ),
        ),
      );
      for (const secret of [id_token, SECRETS.acme, Buffer.from(SECRETS.acme).toString('hex')])
        expect(dump).not.toContain(secret);
    });

    it('takes the same by query', async () => {
      const at = sso.browser();
      const back = await at.goAndReturn(authorizeAt(PLATFORM), sso.person(sso.second, 'elsewhere.example'));
      const answer = await at.get(`${PLATFORM}/callback/?${new URLSearchParams({ ...back })}`);
      expect(answer).toMatchObject({ status: 200, body: { auth_token: expect.any(String) } });
    });

    it('never takes one issuer’s subject for the other’s', async () => {
      const sub = 'the-same-subject';
      const [one, two] = [
        sso.person(sso.first, 'acme.example', { sub }),
        sso.person(sso.second, 'blue-hill.example', { sub }),
      ];
      const acme = await sso.signedIn(ORG, one);
      const blue = await sso.signedIn(ORG, two, 'blue-hill.example');
      expect(blue.user.id).not.toBe(acme.user.id);
      expect(blue.user.organization).toBe('Blue Hill');
      // The platform's application is another provider than Blue Hill's, though their issuer is the same.
      sso.second.people.set(two, { sub, email: 'the-same@elsewhere.example', email_verified: true });
      const platform = await sso.signedIn(PLATFORM, two);
      expect([acme.user.id, blue.user.id]).not.toContain(platform.user.id);
      // Acme's application at the second issuer: its `ada` is not the first one's, whatever her subject.
      await sso.sql(
        `UPDATE organization_sso SET issuer = $1, client_id = 'blue', client_secret_sealed = $2 WHERE organization_id = (SELECT id FROM organizations WHERE domain = 'acme.example')`,
        [sso.second.url, await sealedFor('acme.example', SECRETS.blue)],
      );
      sso.second.people.set(two, { sub, email: 'intruder@acme.example', email_verified: true });
      const intruder = await sso.signIn(ORG, two);
      await sso.sql(
        `UPDATE organization_sso SET issuer = NULL, client_id = 'acme', client_secret_sealed = $1 WHERE organization_id = (SELECT id FROM organizations WHERE domain = 'acme.example')`,
        [await sealedFor('acme.example', SECRETS.acme)],
      );
      expect((intruder.body as SignedIn).user.id).toBe(blue.user.id);
      expect((await sso.signedIn(ORG, one)).user.id).toBe(acme.user.id);
    });

    it('uses a state once, in the browser and for the provider that it was made for, and within ten minutes', async () => {
      const who = sso.person(sso.first, 'acme.example');
      const at = sso.browser();
      const back = await at.goAndReturn(authorizeAt(ORG), who);
      const invalid = { status: 400, body: { detail: expect.any(String), code: 'invalid_state' } };
      const stranger = sso.browser();
      expect(await stranger.post(`${ORG}/callback/`, back)).toMatchObject(invalid);
      await stranger.begin(authorizeAt(ORG));
      expect(await stranger.post(`${ORG}/callback/`, back)).toMatchObject(invalid);
      expect(await at.post(`${PLATFORM}/callback/`, back)).toMatchObject(invalid);
      expect(await at.post(`${ORG}/callback/`, { ...back, state: 'unknown' })).toMatchObject(invalid);
      expect(await at.post(`${ORG}/callback/`, { code: back.code })).toMatchObject(invalid);
      expect(await at.post(`${ORG}/callback/`, { state: back.state })).toMatchObject({
        status: 400,
        body: { detail: 'The code is missing.', code: 'missing_code' },
      });
      for (const [error, detail] of [
        ['access_denied', 'The sign-in was cancelled, or the identity provider refused it. Please try again.'],
        ['temporarily_unavailable', 'The identity provider ended the sign-in (temporarily_unavailable).'],
        ['<b>Call us</b>', 'The code is missing.'],
      ])
        expect(await at.post(`${ORG}/callback/`, { error, state: back.state })).toMatchObject({
          status: 400,
          body: { detail, code: 'missing_code' },
        });
      const answers = await Promise.all(Array.from({ length: 10 }, () => at.post(`${ORG}/callback/`, back)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status !== 200)).toEqual(Array(9).fill(expect.objectContaining(invalid)));

      const late = await at.goAndReturn(authorizeAt(ORG), who);
      await sso.sql(`UPDATE sso_flows SET expires_at = now() - interval '1 second'`);
      expect(await at.post(`${ORG}/callback/`, late)).toMatchObject(invalid);
      await sso.api.app.get(SsoFlows, { strict: false }).purge();
      expect(await sso.sql('SELECT FROM sso_flows')).toEqual([]);
    });

    it('goes on at another replica, where approval is asked of strangers and not of the organisation’s people', async () => {
      const replica = await sso.api.startReplica({ EMAIL_VERIFICATION: 'true' });
      const finish = async (provider: string, who: string) => {
        const at = sso.browser();
        const back = await at.goAndReturn(authorizeAt(provider), who);
        const headers = { cookie: `sso_flow=${at.cookie('sso_flow')}` };
        return postJson(`${replica.baseUrl}${provider}/callback/`, back, headers);
      };
      const stranger = sso.person(sso.second, 'elsewhere.example');
      const waiting = { status: 400, body: { non_field_errors: ['User account is not verified.'] } };
      expect(await finish(PLATFORM, stranger)).toMatchObject(waiting);
      expect(await finish(PLATFORM, stranger)).toMatchObject(waiting);
      expect(await sso.sql('SELECT FROM users WHERE username = $1', [stranger])).toHaveLength(1);
      expect((await finish(ORG, sso.person(sso.first, 'acme.example'))).status).toBe(200);
      await replica.stop();
    });

    it('keeps several sign-ins of one browser apart', async () => {
      const at = sso.browser();
      const backs = [
        await at.goAndReturn(authorizeAt(ORG), sso.person(sso.first, 'acme.example')),
        await at.goAndReturn(authorizeAt(PLATFORM), sso.person(sso.second, 'elsewhere.example')),
      ];
      expect((await at.post(`${ORG}/callback/`, backs[0])).status).toBe(200);
      expect((await at.post(`${PLATFORM}/callback/`, backs[1])).status).toBe(200);
    });

    it('rejects a code that another sign-in brought, and uses the state up all the same', async () => {
      const at = sso.browser();
      const who = sso.person(sso.first, 'acme.example');
      const one = await at.goAndReturn(authorizeAt(ORG), who);
      const two = await at.goAndReturn(authorizeAt(ORG), who);
      const mixed = { ...two, code: one.code };
      expect(await at.post(`${ORG}/callback/`, mixed)).toMatchObject({
        status: 400,
        body: { code: 'exchange_rejected' },
      });
      expect(await at.post(`${ORG}/callback/`, two)).toMatchObject({ status: 400, body: { code: 'invalid_state' } });
    });

    it('says 404 when the organisation’s credentials are gone, and 503 to a link', async () => {
      await sso.configure('gone.example', 'acme', SECRETS.acme);
      const at = sso.browser();
      const who = sso.person(sso.first, 'gone.example');
      const backs = [
        await at.goAndReturn(authorizeAt(ORG, 'gone.example'), who),
        await at.goAndReturn(authorizeAt(ORG, 'gone.example'), who),
      ];
      await sso.sql(
        `DELETE FROM organization_sso WHERE organization_id = (SELECT id FROM organizations WHERE domain = 'gone.example')`,
      );
      expect(await at.post(`${ORG}/callback/`, backs[0])).toMatchObject({
        status: 404,
        body: { detail: expect.any(String) },
      });
      at.accessToken = (await sso.api.signUp()).token;
      expect(await at.post(`${ORG}/link-exchange/`, backs[1])).toMatchObject({
        status: 503,
        body: { code: 'sso_not_configured' },
      });
    });
  });

  describe('accounts with the same address', () => {
    const linkRequired = { status: 409, body: { detail: expect.any(String), code: 'link_required' } };
    const notVerified = { status: 400, body: { detail: expect.any(String), code: 'email_not_verified' } };

    it('finds an account by a confirmed address of the organisation, and takes it in', async () => {
      const who = sso.person(sso.first, 'acme.example');
      const client = await sso.register(`${who.toUpperCase()}@acme.example`);
      const { user } = await sso.signedIn(ORG, who);
      expect(user).toMatchObject({
        id: await idOf(client),
        organization: 'Acme Ltd',
        auth_methods: { password: true, sso_org: true },
      });
      sso.first.people.set('heir', { sub: `heir-of-${who}`, email: `${who}@acme.example`, email_verified: true });
      expect(await sso.signIn(ORG, 'heir')).toMatchObject(linkRequired);
    });

    it('gives nobody an account whose address was never confirmed', async () => {
      const who = sso.person(sso.first, 'acme.example');
      await sso.register(`${who}@acme.example`, false);
      expect(await sso.signIn(ORG, who)).toMatchObject(linkRequired);
    });

    it('never opens a staff account by its address, but lets it link itself', async () => {
      for (const [provider, issuer] of [
        [ORG, sso.first],
        [PLATFORM, sso.second],
      ] as const) {
        const who = sso.person(issuer, 'acme.example');
        const client = await sso.register(`${who}@acme.example`);
        await sso.sql('UPDATE users SET is_staff = true WHERE username = $1', [client.username]);
        const refused = await sso.signIn(provider, who);
        expect(refused).toMatchObject(linkRequired);
        expect(refused.headers.get('set-cookie') ?? '').not.toContain('refresh_token=');
        if (provider === ORG) expect((refused.body as { detail: string }).detail).toContain('staff account');
        expect(await sso.sql('SELECT FROM sso_identities WHERE subject = $1', [`subject-${who}`])).toEqual([]);
        const [at, exchanged] = await sso.verified(client, provider, who);
        expect(exchanged.status).toBe(200);
        const named = provider === ORG ? 'sso_org' : 'sso_platform';
        const linked = await at.post('/users/sso/link/', { provider: named, sub: `subject-${who}` });
        expect(linked.status).toBe(200);
        expect((await sso.signedIn(provider, who)).user.id).toBe(await idOf(client));
      }
    });

    it('believes no organisation whose domain nobody vouched for', async () => {
      await sso.configure('unproved.example', 'acme', SECRETS.acme);
      await sso.sql(`UPDATE organizations SET domain_verified = false WHERE domain = 'unproved.example'`);
      const who = sso.person(sso.first, 'unproved.example');
      await sso.register(`${who}@unproved.example`);
      expect(await sso.signIn(ORG, who, 'unproved.example')).toMatchObject(linkRequired);
      const newcomer = await sso.signedIn(ORG, sso.person(sso.first, 'unproved.example'), 'unproved.example');
      expect(newcomer.user).toMatchObject({ verified: false });
      const other = sso.person(sso.second, 'unproved.example');
      expect((await sso.signedIn(PLATFORM, other)).user.organization).toBe(`${other} (personal)`);
    });

    it('believes an organisation’s provider for its own domain only, and none for an unverified address', async () => {
      expect(await sso.signIn(ORG, sso.person(sso.first, 'acme.example', { email_verified: false }))).toMatchObject(
        notVerified,
      );
      expect(await sso.signIn(ORG, sso.person(sso.first, 'blue-hill.example'))).toMatchObject(notVerified);
      expect(await sso.signIn(PLATFORM, sso.person(sso.second, 'x.example', { email: undefined }))).toMatchObject(
        notVerified,
      );
    });

    it('never finds one by address for the platform’s provider', async () => {
      const who = sso.person(sso.second, 'elsewhere.example');
      await sso.register(`${who}@elsewhere.example`);
      expect(await sso.signIn(PLATFORM, who)).toMatchObject(linkRequired);
    });

    it('places newcomers of the platform’s provider by domain, else on their own', async () => {
      const known = await sso.signedIn(PLATFORM, sso.person(sso.second, 'acme.example'));
      expect(known.user).toMatchObject({ organization: 'Acme Ltd', verified: false });
      const who = sso.person(sso.second, 'elsewhere.example');
      expect((await sso.signedIn(PLATFORM, who)).user.organization).toBe(`${who} (personal)`);
    });

    it('refuses a deactivated account with the message of the login', async () => {
      const who = sso.person(sso.first, 'acme.example');
      const { user } = await sso.signedIn(ORG, who);
      await sso.sql('UPDATE users SET is_active = false WHERE id = $1', [user.id]);
      expect(await sso.signIn(ORG, who)).toMatchObject({
        status: 400,
        body: { non_field_errors: ['User account is disabled.'] },
      });
    });

    it('leaves an account as it is that a directory has put out, and takes it in when it is opened again', async () => {
      const who = sso.person(sso.first, 'acme.example');
      const id = await idOf(await sso.register(`${who}@acme.example`));
      const state = async () =>
        (
          await sso.sql<{ organization_id: number | null; detached: number | null; links: number }>(
            `SELECT organization_id, detached_from_id AS detached,
                    (SELECT count(*) FROM sso_identities WHERE user_id = u.id)::int AS links FROM users u WHERE id = $1`,
            [id],
          )
        )[0]!;
      const [acme] = await sso.sql<{ id: number }>(`SELECT id FROM organizations WHERE domain = 'acme.example'`);
      await sso.sql('UPDATE users SET is_active = false, organization_id = NULL, detached_from_id = $2 WHERE id = $1', [
        id,
        acme!.id,
      ]);
      expect(await sso.signIn(ORG, who)).toMatchObject({
        status: 400,
        body: { non_field_errors: ['User account is disabled.'] },
      });
      expect(await state()).toEqual({ organization_id: null, detached: acme!.id, links: 0 });
      await sso.sql('UPDATE users SET is_active = true WHERE id = $1', [id]);
      expect((await sso.signedIn(ORG, who)).user).toMatchObject({ id, organization: 'Acme Ltd' });
      expect(await state()).toEqual({ organization_id: acme!.id, detached: null, links: 1 });
    });
  });
});
