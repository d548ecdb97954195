import { AuditChain } from '@app/audit';
import { startApi, type TestApi } from '../support/api.js';
import { ask, Organisations, type Person } from '../support/organisations.js';

const AUDIT = '/organisations/current/audit/';

interface Event {
  id: string;
  actor: string | null;
  actor_id: number | null;
  action: string;
  target: string | null;
}

const read = async (who: Person, query = '') => {
  const { status, body } = await ask(who, 'GET', AUDIT + query);
  expect(status).toBe(200);
  return body as unknown as { results: Event[]; next_cursor: string | null };
};
const makeToken = (person: Person, name: string) =>
  person.client.post('/users/api-tokens/', { name, scopes: ['profile:read'] });
const done = (events: Event[], person: Person) =>
  events.filter(({ actor_id: actor, action }) => actor === person.id && action === 'api_token.created').length;

describe('the audit log of an organisation', () => {
  let api: TestApi;
  let org: Organisations;
  let id: number;
  let owner: Person;
  beforeAll(async () => {
    api = await startApi();
    org = new Organisations(api);
    id = await org.make();
    owner = await org.join(id, 'owner');
  });
  afterAll(() => api.stop());

  it('has what its people do while they belong to it, and nothing else', async () => {
    const [joining, outsider] = [await org.person(), await org.join(await org.make(), 'owner')];
    await makeToken(joining, 'before');
    const token = await org.invite(id, owner.id, `${joining.client.username}@test.example`);
    expect((await ask(joining, 'POST', '/organisations/invitations/accept/', { token })).status).toBe(200);
    await makeToken(joining, 'one');
    await makeToken(joining, 'two');
    await makeToken(outsider, 'elsewhere');
    expect((await ask(joining, 'DELETE', '/organisations/current/members/me/')).status).toBe(204);
    await makeToken(joining, 'after');

    const { results } = await read(owner);
    expect(done(results, joining)).toBe(2);
    expect(results.filter(({ actor_id: actor }) => actor === outsider.id)).toEqual([]);
    expect(results.filter(({ actor_id: actor }) => actor === joining.id).map(({ action }) => action)).toEqual([
      'organization.member_left',
      'api_token.created',
      'api_token.created',
      'organization.member_joined',
    ]);
    expect(Object.keys(results[0]!).toSorted()).toEqual([
      'action',
      'actor',
      'actor_id',
      'at',
      'id',
      'outcome',
      'target',
    ]);
    expect(JSON.stringify(results)).not.toMatch(/127\.0\.0\.1|::1/);
    // In the organisation of their own is the rest.
    expect(done((await read(joining)).results, joining)).toBe(1);
    expect(done((await read(outsider)).results, outsider)).toBe(1);
    expect((await read(outsider)).results.filter(({ actor_id: actor }) => actor !== outsider.id)).toEqual([]);
  });

  it('tells of what an owner did to somebody, even once they are gone', async () => {
    const member = await org.join(id, 'member');
    await ask(owner, 'PATCH', `/organisations/current/members/${member.id}/`, { role: 'admin' });
    await ask(owner, 'DELETE', `/organisations/current/members/${member.id}/`);
    const of = ({ results }: { results: Event[] }) =>
      results.filter(({ target }) => target === `user:${member.id}`).map(({ action }) => action);
    expect(of(await read(owner))).toEqual(['organization.member_removed', 'organization.role_changed']);
    expect(of(await read(member))).toEqual([]);
  });

  it('is read a page at a time, by filters, and with no place of elsewhere', async () => {
    const member = await org.join(id, 'member');
    for (let n = 0; n < 7; n += 1) await makeToken(member, `n${n}`);
    const query = `?actor=${member.client.username}&action=api_token.created&limit=3`;
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await read(owner, query + (cursor && `&cursor=${cursor}`));
      seen.push(...page.results.map((event) => event.id));
      cursor = page.next_cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
    const outsider = await org.join(await org.make(), 'owner');
    await makeToken(outsider, 'n');
    const [{ id: foreign }] = (await read(outsider)).results as [Event];
    for (const wrong of [foreign, '12', 'x', '00000000-0000-4000-8000-000000000000'])
      expect(await ask(owner, 'GET', `${AUDIT}?cursor=${wrong}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_cursor' },
      });
  });

  it('keeps the chain valid, and notices an entry that is moved to another organisation', async () => {
    const chain = api.app.get(AuditChain);
    await chain.extend();
    const { broken } = await chain.verify();
    expect(broken).toBeNull();
    const move = (to: number | null, where: string) =>
      org.sql(`UPDATE audit_events SET organization_id = $1 WHERE ${where}`, [to]);
    const [{ seq }] = await org.sql<[{ seq: string }]>(
      'SELECT seq FROM audit_events WHERE organization_id = $1 ORDER BY seq LIMIT 1',
      [id],
    );
    await expect(move(id + 1, `seq = ${seq}`)).rejects.toThrow('append-only');
    await org.sql('ALTER TABLE audit_events DISABLE TRIGGER USER');
    await move(id + 1, `seq = ${seq}`);
    expect((await chain.verify()).broken).toBe(Number(seq));
    await move(id, `seq = ${seq}`);
    await org.sql('ALTER TABLE audit_events ENABLE TRIGGER USER');
    expect((await chain.verify()).broken).toBeNull();
  });

  it('says no more who it was once the account is erased', async () => {
    const member = await org.join(id, 'member');
    await makeToken(member, 'n');
    expect(done((await read(owner)).results, member)).toBe(1);
    expect((await ask(member, 'DELETE', '/users/delete/')).status).toBe(200);
    const { results } = await read(owner, '?limit=500');
    expect(JSON.stringify(results)).not.toContain(member.client.username);
    expect(results.filter(({ actor_id: actor }) => actor === member.id)).toEqual([]);
    expect((await api.app.get(AuditChain).verify()).broken).toBeNull();
  });
});
