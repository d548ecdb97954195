import { hashToken, newId, newToken } from '@app/common';
import { OrganizationSecrets } from '@app/workflows';
import { AuditChain } from '@app/audit';
import { openAdministration, runCommand } from '../../apps/api/src/cli/admin/run-command.js';
import { call, startApi, type TestApi } from '../support/api.js';
import { inAll, rounds } from '../support/long.js';
import { ask, Organisations, type Person } from '../support/organisations.js';
import { mailsTo } from '../support/outbox.js';
import { Directory } from '../support/scim.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';

const CURRENT = '/organisations/current/';
const ACCEPT = '/organisations/invitations/accept/';

const addressOf = ({ client }: Person) => `${client.username}@test.example`;
const accept = (person: Person, token: string) => ask(person, 'POST', ACCEPT, { token });
const codes = (answers: { status: number; body: Record<string, unknown> }[]) =>
  answers.map(({ status, body }) => (status < 400 ? status : body['code'])).toSorted();
const deleteAccount = async (person: Person) =>
  expect((await ask(person, 'DELETE', '/users/delete/')).status).toBe(200);

describe('organisations that people run themselves', () => {
  let api: TestApi;
  let org: Organisations;
  beforeAll(async () => {
    api = await startApi();
    org = new Organisations(api);
  });
  afterAll(() => api.stop());

  describe('members', () => {
    it('are listed with their roles; unconfirmed and deactivated ones to owners and admins alone', async () => {
      const id = await org.make(7);
      const owner = await org.join(id, 'owner');
      const member = await org.join(id, 'member');
      const [hidden, gone] = [await org.colleague(id), await org.colleague(id)];
      await org.sql('UPDATE users SET email_verified = false WHERE id = $1', [hidden]);
      await org.sql('UPDATE users SET is_active = false WHERE id = $1', [gone]);
      const ids = async (who: Person, query = '') => {
        const { body } = await ask(who, 'GET', `${CURRENT}members/${query}`);
        return (body['results'] as { id: number }[]).map((one) => one.id).toSorted((a, b) => a - b);
      };
      expect(await ids(member)).toEqual([owner.id, member.id]);
      expect(await ids(owner)).toEqual([owner.id, member.id, hidden, gone]);
      expect(await ids(owner, '?role=owner')).toEqual([owner.id]);
      expect(await ids(owner, `?search=${member.client.username.toUpperCase()}`)).toEqual([member.id]);
      expect(await ids(owner, '?search=%25')).toEqual([]);
      // A form that filters by nothing.
      expect(await ids(owner, '?search=&role=&page=&page_size=')).toHaveLength(4);
      expect((await ask(member, 'POST', '/users/profile/', { first_name: 'Zoe\u0308' })).body).toMatchObject({
        info: { first_name: 'Zo\u00eb' },
      });
      for (const name of ['zo\u00eb', 'zoe\u0308'])
        expect(await ids(owner, `?search=${encodeURIComponent(name)}`)).toEqual([member.id]);
      const second = await ask(owner, 'GET', `${CURRENT}members/?page=2&page_size=3`);
      expect(second.body).toMatchObject({ count: 4, next: null, results: [{}] });
      expect((await ask(owner, 'GET', `${CURRENT}members/?page=9`)).body).toMatchObject({ count: 4, results: [] });
      expect((await ask(member, 'GET', CURRENT)).body).toMatchObject({
        role: 'member',
        personal: false,
        members_count: 3,
        seats: { used: 3, limit: 7 },
        plan_code: null,
      });
      // Whoever has not confirmed the address sees themselves only.
      await org.sql('UPDATE users SET email_verified = false WHERE id = $1', [member.id]);
      expect(await ids(member)).toEqual([member.id]);
    });

    it('go with what is theirs into an organisation of their own, signed in', async () => {
      const id = await org.make();
      const [owner, member] = [await org.join(id, 'owner'), await org.join(id, 'admin')];
      await member.client.post('/microservices/workflow/tags/', { name: 'Mine' });
      expect((await ask(owner, 'DELETE', `${CURRENT}members/${member.id}/`)).status).toBe(204);
      expect((await ask(owner, 'DELETE', `${CURRENT}members/${member.id}/`)).status).toBe(404);
      expect((await ask(member, 'GET', CURRENT)).body).toMatchObject({ personal: true, role: 'owner' });
      expect(await member.client.get('/microservices/workflow/tags/')).toMatchObject([{ name: 'Mine' }]);
      // Once an admin, now nobody there.
      await org.place(member.id, id, (await org.roleOf(member.id)).role);
      expect((await org.roleOf(member.id)).role).toBe('member');
    });

    it('manage nothing before they have confirmed the address: anybody may have registered with it', async () => {
      const id = await org.make();
      const [owner, member] = [await org.join(id, 'owner'), await org.colleague(id)];
      await org.sql('UPDATE users SET email_verified = false WHERE id = $1', [member]);
      const refused = { status: 409, body: { code: 'address_not_confirmed' } };
      for (const role of ['admin', 'owner'])
        expect(await ask(owner, 'PATCH', `${CURRENT}members/${member}/`, { role })).toMatchObject(refused);
      expect(await ask(owner, 'POST', `${CURRENT}transfer-ownership/`, { user_id: member })).toMatchObject(refused);
      expect((await ask(owner, 'PATCH', `${CURRENT}members/${member}/`, { role: 'viewer' })).status).toBe(200);
    });

    it('demote each other at once, and an owner is left', async () => {
      for (let round = 0; round < rounds(30, 4); round += 1) {
        const id = await org.make();
        const [one, two] = [await org.join(id, 'owner'), await org.join(id, 'owner')];
        const answers = await Promise.all([
          ask(one, 'PATCH', `${CURRENT}members/${two.id}/`, { role: 'member' }),
          ask(two, 'PATCH', `${CURRENT}members/${one.id}/`, { role: 'member' }),
        ]);
        expect(codes(answers)).toEqual([200, 'insufficient_role']);
        expect(await org.owners(id)).toHaveLength(1);
      }
    });

    it('step down, leave and hand over at once, and an owner is left', async () => {
      for (let round = 0; round < rounds(30, 4); round += 1) {
        const id = await org.make();
        const [one, two] = [await org.join(id, 'owner'), await org.join(id, 'owner')];
        const heir = await org.colleague(id);
        const answers = await Promise.all([
          ask(one, 'POST', `${CURRENT}transfer-ownership/`, { user_id: heir }),
          ask(two, 'PATCH', `${CURRENT}members/${one.id}/`, { role: 'viewer' }),
          ask(two, 'DELETE', `${CURRENT}members/me/`),
          ask(one, 'DELETE', `${CURRENT}members/${heir}/`),
        ]);
        for (const { status } of answers) expect([200, 204, 403, 404, 409]).toContain(status);
        expect((await org.owners(id)).length).toBeGreaterThanOrEqual(1);
      }
    });

    it('leave once of two calls at once: the other one finds them in their own organisation', async () => {
      const id = await org.make();
      const leaver = await org.join(id, 'admin');
      const leave = () => ask(leaver, 'DELETE', `${CURRENT}members/me/`);
      const { dataSource } = api.database;
      const answers = await dataSource.transaction(async (tx) => {
        await tx.query('SELECT FROM organizations WHERE id = $1 FOR UPDATE', [id]);
        const both = [leave(), leave()];
        await until(async () => (await lockWaits(dataSource, '%FROM organizations%')) === 2);
        return both;
      });
      expect(codes(await Promise.all(answers))).toEqual([204, 'personal_organization']);
    });

    it('hand the plan over with the organisation', async () => {
      const id = await org.make();
      const [owner, heir] = [await org.join(id, 'owner'), await org.join(id, 'member')];
      const payer = async () =>
        (
          await org.sql<{ owner_user_id: number }[]>(
            `SELECT owner_user_id FROM subscriptions WHERE organization_id = $1 AND status = 'active'`,
            [id],
          )
        )[0]?.owner_user_id;
      await org.sql(
        `INSERT INTO subscriptions (id, owner_user_id, organization_id, status, plan_code, plan, billing_period, seats, processor)
         SELECT gen_random_uuid(), $1, $2, status, 'pro', '{"code": "pro"}', 'monthly', 5, 'test'
         FROM unnest('{active,canceled}'::text[]) AS status`,
        [owner.id, id],
      );
      expect((await ask(heir, 'GET', CURRENT)).body).toMatchObject({ plan_code: 'pro' });
      const done = await ask(owner, 'POST', `${CURRENT}transfer-ownership/`, { user_id: heir.id });
      expect(done.body).toMatchObject({ role: 'admin' });
      expect(await org.owners(id)).toEqual([heir.id]);
      expect(await payer()).toBe(heir.id);
      // What ended stays with who bought it.
      expect(
        await org.sql(`SELECT owner_user_id FROM subscriptions WHERE organization_id = $1 AND status = 'canceled'`, [
          id,
        ]),
      ).toEqual([{ owner_user_id: owner.id }]);
      // Whose card it is does not change by going.
      await ask(heir, 'PATCH', `${CURRENT}members/${owner.id}/`, { role: 'owner' });
      expect((await ask(heir, 'DELETE', `${CURRENT}members/me/`)).status).toBe(204);
      expect(await payer()).toBe(heir.id);
    });

    it('succeed an owner who deletes the account: another owner, else the eldest admin, else nobody', async () => {
      const id = await org.make();
      const [owner, second] = [await org.join(id, 'owner'), await org.join(id, 'owner')];
      const admins = [await org.colleague(id, 'admin'), await org.colleague(id, 'admin')];
      await org.sql(`UPDATE users SET date_joined = now() - interval '1 day' WHERE id = $1`, [admins[1]]);
      await deleteAccount(second);
      expect(await org.owners(id)).toEqual([owner.id]);
      await deleteAccount(owner);
      expect(await org.owners(id)).toEqual([admins[1]]);
      await api.app.get(AuditChain).extend();
      expect(
        await org.sql(`SELECT subject_id FROM audit_events WHERE action = 'organization.owner_succeeded'`),
      ).toEqual([{ subject_id: admins[1] }]);

      const alone = await org.make();
      const last = await org.join(alone, 'owner');
      await org.colleague(alone);
      await deleteAccount(last);
      await api.app.get(AuditChain).extend();
      expect(await org.owners(alone)).toEqual([]);
      expect(
        await org.sql(`SELECT organization_id FROM audit_events WHERE action = 'organization.without_owner'`),
      ).toEqual([{ organization_id: alone }]);
    });

    it('who come by a directory, or back by it, are members', async () => {
      const directory = await Directory.open(api);
      const name = `d${newToken()
        .slice(0, 8)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '0')}`;
      const id = await directory.provision(name);
      expect((await org.roleOf(id)).role).toBe('member');
      await org.sql(`UPDATE users SET organization_role = 'admin' WHERE id = $1`, [id]);
      expect((await directory.call('DELETE', `/Users/${id}`)).status).toBe(204);
      expect((await org.roleOf(id)).role).toBe('member');
    });

    it('are given their first owner by an operator', async () => {
      const id = await org.make();
      const [member, stranger] = [await org.join(id, 'member'), await org.person()];
      const app = await openAdministration(api.config);
      const admin = async (...args: string[]) => {
        const said = { out: '', err: '' };
        const terminal = {
          input: async () => '',
          out: (text: string) => (said.out += text),
          err: (text: string) => (said.err += text),
        };
        return { code: await runCommand(args, async () => app, terminal), ...said };
      };
      expect(await admin('organizations', 'owner', String(id), member.client.username)).toMatchObject({ code: 0 });
      expect((await ask(member, 'GET', CURRENT)).body).toMatchObject({ role: 'owner' });
      const refused = await admin('organizations', 'owner', String(id), stranger.client.username);
      expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining('is not in the organization')]);
      await app.close();
    });
  });

  it('open their secrets in apps only where author, receiver and who acts belong to them', async () => {
    const id = await org.make();
    const [owner, author, receiver] = [await org.join(id, 'owner'), await org.colleague(id), await org.colleague(id)];
    const outsider = await org.colleague(await org.make());
    await owner.client.post(`${CURRENT}secrets/`, { name: 'key', value: 'value-of-it' });
    const workflow = async (ownerId: number, appOf: string | null) => {
      const workflowId = newId();
      await org.sql(
        `INSERT INTO workflows (id, owner_id, name, app_of_id, app_state, app_revision)
         SELECT $1::uuid, $2::int, 'W', $3::uuid, CASE WHEN $3::uuid IS NOT NULL THEN 'shared' END,
                CASE WHEN $3::uuid IS NOT NULL THEN 1 END`,
        [workflowId, ownerId, appOf],
      );
      return workflowId;
    };
    const own = await workflow(author, null);
    const foreign = await workflow(outsider, null);
    const secrets = api.app.get(OrganizationSecrets);
    const opens = async (workflowId: string, actor: number) => (await secrets.open(workflowId, ['key'], actor)).length;
    expect(await opens(own, author)).toBe(1);
    // What agents are not to spell out.
    expect(await secrets.listValuesOf(author)).toEqual(['value-of-it']);
    expect(await secrets.listValuesOf(outsider)).toEqual([]);
    expect(await opens(own, receiver)).toBe(1);
    expect(await opens(own, outsider)).toBe(0);
    expect(await opens(await workflow(receiver, own), author)).toBe(1);
    expect(await opens(await workflow(outsider, own), author)).toBe(0);
    expect(await opens(await workflow(receiver, foreign), receiver)).toBe(0);
    await org.sql('UPDATE users SET is_active = false WHERE id = $1', [author]);
    expect(await opens(own, author)).toBe(0);
  });

  describe('invitations', () => {
    it('come by mail, in the language of the address, and are good once', async () => {
      const id = await org.make();
      const [owner, invited, other] = [await org.join(id, 'owner'), await org.person(), await org.person()];
      await org.sql(`UPDATE users SET language = 'ar' WHERE id = $1`, [invited.id]);
      const [{ organization_id: left }] = await org.sql<[{ organization_id: number }]>(
        'SELECT organization_id FROM users WHERE id = $1',
        [invited.id],
      );
      const address = addressOf(invited);
      const sent = await ask(owner, 'POST', `${CURRENT}invitations/`, { email: address, role: 'admin' });
      expect(sent).toMatchObject({
        status: 201,
        body: { email: address, role: 'admin', inviter: owner.client.username },
      });
      expect(JSON.stringify(sent.body)).not.toContain('token');
      const mail = (await mailsTo(api, address, 2)).at(-1)!;
      expect(mail.html).toContain('dir="rtl"');
      const token = /^[\w-]{40,}$/m.exec(mail.text)![0];
      const [kept] = await org.sql<[{ token_hash: Buffer }]>(
        'SELECT token_hash FROM organization_invitations WHERE address = $1',
        [address],
      );
      expect([kept.token_hash.equals(hashToken(token)), kept.token_hash.toString().includes(token)]).toEqual([
        true,
        false,
      ]);
      expect((await ask(invited, 'GET', '/organisations/invitations/')).body).toMatchObject([{ role: 'admin' }]);
      expect((await ask(other, 'GET', '/organisations/invitations/')).body).toEqual([]);
      // Another account's, an unknown and an ended one say the same.
      const unknown = await accept(other, newToken());
      expect(unknown).toMatchObject({ status: 404, body: { code: 'unknown_invitation' } });
      expect(await accept(other, token)).toEqual(unknown);
      expect(await accept(invited, token)).toMatchObject({ status: 200, body: { id, role: 'admin' } });
      expect(await accept(invited, token)).toEqual(unknown);
      expect(await org.sql('SELECT FROM organizations WHERE id = $1', [left])).toEqual([]);
      const again = await ask(owner, 'POST', `${CURRENT}invitations/`, { email: address });
      expect(again).toMatchObject({ status: 409, body: { code: 'already_member' } });
    });

    inAll('go five times an hour to one address, of each organisation, and count when they are sent', async () => {
      const strict = await api.startReplica({ RATE_LIMITS: 'true' });
      try {
        const owner = await org.join(await org.make(), 'owner');
        const other = await org.join(await org.make(), 'owner');
        const invite = async (by: Person, role: string) =>
          (
            await call(`${strict.baseUrl}${CURRENT}invitations/`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', authorization: `Token ${by.client.token}` },
              body: JSON.stringify({ email: 'Often@mail.example', role }),
            })
          ).status;
        expect(await invite(owner, 'nobody')).toBe(400);
        for (let n = 0; n < 5; n += 1) expect(await invite(owner, 'member')).toBe(201);
        expect(await invite(owner, 'member')).toBe(429);
        expect(await invite(other, 'member')).toBe(201);
        // Whoever ends theirs and makes another one is the same person.
        const maker = await org.person();
        const make = () => ask(maker, 'POST', '/organisations/', { name: 'Mine' });
        await make();
        for (let n = 0; n < 5; n += 1) expect(await invite(maker, 'member')).toBe(201);
        await ask(maker, 'DELETE', CURRENT);
        await make();
        expect(await invite(maker, 'member')).toBe(429);
        const slow = `UPDATE slow_counters SET hits = 300 WHERE bucket = 'organisation-invitations-by' AND who = $1`;
        await org.sql(slow, [String(other.id)]);
        expect(await invite(other, 'member')).toBe(429);
      } finally {
        await strict.stop();
      }
    });

    it('need a confirmed address, and nobody who belongs to another organisation', async () => {
      const [id, elsewhere] = [await org.make(), await org.make()];
      const owner = await org.join(id, 'owner');
      const [unconfirmed, taken] = [await org.person(), await org.join(elsewhere, 'owner')];
      await org.sql('UPDATE users SET email_verified = false WHERE id = $1', [unconfirmed.id]);
      const [one, two] = [
        await org.invite(id, owner.id, addressOf(unconfirmed)),
        await org.invite(id, owner.id, addressOf(taken)),
      ];
      expect((await ask(unconfirmed, 'GET', '/organisations/invitations/')).body).toEqual([]);
      expect(await accept(unconfirmed, one)).toMatchObject({ status: 403, body: { code: 'address_not_confirmed' } });
      expect(await accept(taken, two)).toMatchObject({ status: 409, body: { code: 'other_organization' } });
      // Nothing was used up.
      await org.sql('UPDATE users SET email_verified = true WHERE id = $1', [unconfirmed.id]);
      expect((await accept(unconfirmed, one)).status).toBe(200);
    });

    it('end with their time, their withdrawal, a newer one, and the rank of who sent them', async () => {
      const id = await org.make();
      const [owner, second] = [await org.join(id, 'owner'), await org.join(id, 'owner')];
      const ended: ((address: string) => Promise<string>)[] = [
        async (address) => {
          const token = await org.invite(id, owner.id, address);
          await org.sql('UPDATE organization_invitations SET expires_at = now() WHERE address = $1', [address]);
          return token;
        },
        async (address) => {
          const token = await org.invite(id, owner.id, address);
          const open = (await ask(owner, 'GET', `${CURRENT}invitations/`)).body as unknown as {
            id: string;
            email: string;
          }[];
          const { id: invitation } = open.find(({ email }) => email === address)!;
          expect((await ask(owner, 'DELETE', `${CURRENT}invitations/${invitation}/`)).status).toBe(204);
          return token;
        },
        async (address) => {
          const token = await org.invite(id, owner.id, address);
          expect((await ask(owner, 'POST', `${CURRENT}invitations/`, { email: address })).status).toBe(201);
          return token;
        },
        async (address) => org.invite(id, (await org.join(id, 'member')).id, address),
        async (address) => org.invite(id, (await org.join(id, 'admin')).id, address, 'owner'),
        async (address) => {
          const token = await org.invite(id, second.id, address, 'owner');
          expect((await ask(owner, 'DELETE', `${CURRENT}members/${second.id}/`)).status).toBe(204);
          return token;
        },
      ];
      for (const [place, make] of ended.entries()) {
        const invited = await org.person();
        expect([place, (await accept(invited, await make(addressOf(invited)))).status]).toEqual([place, 404]);
      }
    });

    inAll(
      '50 at once for one seat: one gets it, and one token at once is used once',
      async () => {
        const id = await org.make(2);
        const owner = await org.join(id, 'owner');
        const people = await Promise.all(Array.from({ length: 50 }, () => org.person()));
        const tokens = await Promise.all(people.map((person) => org.invite(id, owner.id, addressOf(person))));
        const answers = await Promise.all(people.map((person, i) => accept(person, tokens[i]!)));
        expect(codes(answers)).toEqual([200, ...Array.from({ length: 49 }, () => 'no_free_seats')]);
        expect((await ask(owner, 'GET', CURRENT)).body).toMatchObject({ seats: { used: 2, limit: 2 } });

        const roomy = await org.make();
        const host = await org.join(roomy, 'owner');
        const [guest] = people.filter((_, i) => answers[i]!.status !== 200);
        const token = await org.invite(roomy, host.id, addressOf(guest!));
        const twice = await Promise.all([accept(guest!, token), accept(guest!, token)]);
        expect(codes(twice)).toEqual([200, 'unknown_invitation']);
      },
      120_000,
    );

    it('leave nothing half done when the database breaks in between', async () => {
      const id = await org.make();
      const [owner, invited] = [await org.join(id, 'owner'), await org.person()];
      const token = await org.invite(id, owner.id, addressOf(invited));
      const before = await org.roleOf(invited.id);
      await org.sql(
        `CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'gone' USING ERRCODE = '57P01'; END $$`,
      );
      await org.sql('CREATE TRIGGER broken BEFORE INSERT ON audit_inbox FOR EACH ROW EXECUTE FUNCTION broken()');
      expect((await accept(invited, token)).status).toBe(503);
      expect((await ask(owner, 'DELETE', `${CURRENT}members/me/`)).status).toBe(409);
      await org.sql('DROP TRIGGER broken ON audit_inbox');
      expect(await org.roleOf(invited.id)).toEqual(before);
      expect((await accept(invited, token)).status).toBe(200);
    });
  });

  describe("one of somebody's own", () => {
    it('is made of the personal one, invites others, and ends when they are gone', async () => {
      const [owner, colleague] = [await org.person(), await org.person()];
      const before = (await ask(owner, 'GET', CURRENT)).body;
      expect(before).toMatchObject({ personal: true, role: 'owner' });
      const made = await ask(owner, 'POST', '/organisations/', { name: 'Acme' });
      const acme = { id: before['id'], name: 'Acme', domain: null, personal: false, role: 'owner', members_count: 1 };
      expect(made).toMatchObject({ status: 201, body: acme });
      expect((await owner.client.get<{ info: object }>('/users/me/')).info).toMatchObject({ organization: 'Acme' });

      const address = addressOf(colleague);
      expect((await ask(owner, 'POST', `${CURRENT}invitations/`, { email: address })).status).toBe(201);
      const token = /^[\w-]{40,}$/m.exec((await mailsTo(api, address, 2)).at(-1)!.text)![0];
      expect(await accept(colleague, token)).toMatchObject({ status: 200, body: { name: 'Acme', members_count: 2 } });

      expect(await ask(owner, 'DELETE', CURRENT)).toMatchObject({
        status: 409,
        body: { code: 'organization_has_members' },
      });
      await org.sql('UPDATE users SET is_active = false WHERE id = $1', [colleague.id]);
      expect(codes([await ask(owner, 'DELETE', CURRENT)])).toEqual(['organization_has_members']);
      expect((await ask(owner, 'DELETE', `${CURRENT}members/${colleague.id}/`)).status).toBe(204);
      await ask(owner, 'POST', `${CURRENT}secrets/`, { name: 'key', value: 'hidden-away' });
      expect((await ask(owner, 'DELETE', CURRENT)).status).toBe(204);
      const after = (await ask(owner, 'GET', CURRENT)).body;
      expect(after).toMatchObject({ personal: true, role: 'owner', name: `${owner.client.username} (personal)` });
      expect(await org.sql('SELECT FROM organizations WHERE id = $1', [before['id']])).toEqual([]);
      expect((await ask(owner, 'POST', '/organisations/', { name: 'Again' })).status).toBe(201);
    });

    it('is made once of two calls at once, after the address is confirmed, with a name', async () => {
      const owner = await org.person();
      await org.sql('UPDATE users SET email_verified = false WHERE id = $1', [owner.id]);
      const make = (body: object) => ask(owner, 'POST', '/organisations/', body);
      expect(await make({ name: 'Acme' })).toMatchObject({ status: 403, body: { code: 'address_not_confirmed' } });
      await org.sql('UPDATE users SET email_verified = true WHERE id = $1', [owner.id]);
      const names = [
        '',
        '  ',
        'x'.repeat(101),
        'Win at https://a.example',
        'see WWW.a',
        'A\r\nBcc: b',
        '\u202egpj.exe',
      ];
      for (const body of [{}, ...names.map((name) => ({ name }))])
        expect(await make(body)).toMatchObject({ status: 400, body: { name: [expect.any(String)] } });
      expect(codes(await Promise.all([make({ name: 'One' }), make({ name: 'Two' })]))).toEqual([
        201,
        'other_organization',
      ]);
    });

    it('goes with the last account of it, and one with a domain stays for those who come by it', async () => {
      const [owner, last, colleague] = [
        await org.person(),
        await org.join(await org.make(), 'owner'),
        await org.person(),
      ];
      const mine = (await ask(owner, 'POST', '/organisations/', { name: 'Mine' })).body['id'] as number;
      await ask(owner, 'POST', `${CURRENT}secrets/`, { name: 'key', value: 'hidden-away' });
      await org.place(colleague.id, mine, 'member');
      const { organization_id: ours } = await org.roleOf(last.id);
      const there = async (id: number) =>
        (await org.sql<unknown[]>('SELECT FROM organizations WHERE id = $1', [id])).length;
      const erased = async (person: Person) => {
        await deleteAccount(person);
        await until(
          async () => (await org.sql<unknown[]>('SELECT FROM users WHERE id = $1', [person.id])).length === 0,
        );
      };
      await erased(owner);
      expect(await there(mine)).toBe(1);
      await Promise.all([erased(colleague), erased(last)]);
      expect([await there(mine), await there(ours)]).toEqual([0, 1]);
      expect(await org.sql('SELECT FROM organization_secrets WHERE organization_id = $1', [mine])).toEqual([]);
    });

    it('does not end while its domain brings people in', async () => {
      const id = await org.make();
      const owner = await org.join(id, 'owner');
      await org.sql('UPDATE organizations SET domain = $2 WHERE id = $1', [id, `${newId()}.example`]);
      expect(codes([await ask(owner, 'DELETE', CURRENT)])).toEqual(['organization_has_domain']);
    });
  });
});
