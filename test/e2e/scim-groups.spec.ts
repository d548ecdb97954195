import { newId } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { Directory } from '../support/scim.js';

const references = (...ids: number[]) => ids.map((id) => ({ value: String(id) }));
const group = (displayName: string, members: object[] = [], more: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  displayName,
  members,
  ...more,
});

async function create(directory: Directory, name: string, ...ids: number[]): Promise<string> {
  const answer = await directory.call('POST', '/Groups', group(name, references(...ids)));
  expect(answer.status).toBe(201);
  return String(answer.body['id']);
}

describe('groups by SCIM', () => {
  let api: TestApi;
  let acme: Directory;
  let [ann, bob, cleo] = [0, 0, 0];
  beforeAll(async () => {
    api = await startApi();
    acme = await Directory.open(api);
    [ann, bob, cleo] = [await acme.provision('ann'), await acme.provision('bob'), await acme.provision('cleo')];
  });
  afterAll(() => api.stop());

  const membersOf = async (id: string) =>
    ((await acme.call('GET', `/Groups/${id}`)).body['members'] as { value: string }[]).map(({ value }) =>
      Number(value),
    );

  it('creates, shows, replaces and removes', async () => {
    const answer = await acme.call(
      'POST',
      '/Groups',
      group('Engineers', references(ann, bob, ann), { externalId: 'g1' }),
    );
    const id = String(answer.body['id']);
    expect(answer.headers.get('location')).toBe(`${api.baseUrl}/scim/v2/Groups/${id}`);
    expect(answer.body).toMatchObject({
      displayName: 'Engineers',
      externalId: 'g1',
      members: [
        { value: String(ann), display: 'ann', type: 'User', $ref: `${api.baseUrl}/scim/v2/Users/${ann}` },
        { value: String(bob), display: 'bob' },
      ],
      meta: { resourceType: 'Group' },
    });
    expect((await acme.call('GET', `/Groups/${id}`)).body).toEqual(answer.body);
    expect((await acme.call('GET', `/Users/${ann}`)).body).toMatchObject({
      groups: [{ value: id, display: 'Engineers' }],
    });
    const odd = await acme.call('PUT', `/Groups/${id}`, group('Makers', [{ value: { id: 1 } }, {}]));
    expect(odd.body['detail']).toBe('members: There is no user "{"id":1}".');
    const bare = await acme.call('GET', `/Groups/${id}?excludedAttributes=members`);
    expect(bare.body).not.toHaveProperty('members');
    const replaced = await acme.call('PUT', `/Groups/${id}`, group('Makers', references(cleo)));
    expect(replaced.body).toMatchObject({ displayName: 'Makers', members: [{ value: String(cleo) }] });
    expect(replaced.body).not.toHaveProperty('externalId');
    expect((await acme.call('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect((await acme.call('GET', `/Groups/${id}`)).status).toBe(404);
    expect((await acme.call('GET', `/Users/${cleo}`)).body).toMatchObject({ groups: [] });
  });

  it('changes members as Okta and Entra ID write it', async () => {
    const id = await create(acme, 'Patched', ann);
    const patch = (...operations: object[]) => acme.patch(`/Groups/${id}`, ...operations);
    expect((await patch({ op: 'Add', path: 'members', value: references(bob) })).status).toBe(200);
    await patch({ op: 'add', path: 'members', value: { value: String(cleo), display: 'Cleo' } });
    await patch({ op: 'add', path: 'members', value: [{ value: String(cleo), display: 'again', $ref: 'x' }] });
    expect(await membersOf(id)).toEqual([ann, bob, cleo]);
    await patch({ op: 'remove', path: `members[value eq "${bob}"]` });
    expect(await membersOf(id)).toEqual([ann, cleo]);
    await patch({ op: 'Remove', path: 'members', value: [{ value: String(ann), display: 'ann' }] });
    expect(await membersOf(id)).toEqual([cleo]);
    expect(await patch({ op: 'replace', value: { id, displayName: 'Renamed' } })).toMatchObject({
      status: 200,
      body: { id, displayName: 'Renamed' },
    });
    expect(await patch({ op: 'replace', value: { id: newId(), displayName: 'Stolen' } })).toMatchObject({
      status: 400,
      body: { scimType: 'mutability' },
    });
    await patch({ op: 'replace', value: { displayName: 'Anew', meta: {}, members: references(ann, bob) } });
    expect((await acme.call('GET', `/Groups/${id}`)).body).toMatchObject({ displayName: 'Anew' });
    expect(await membersOf(id)).toEqual([ann, bob]);
    await patch({ op: 'remove', path: 'members' });
    expect(await membersOf(id)).toEqual([]);
    await patch({ op: 'remove', path: 'members', value: references(ann) });
    expect(await membersOf(id)).toEqual([]);
    await patch({ op: 'add', path: 'members', value: references(ann) });
    const gone = await patch(
      { op: 'remove', path: `members[value eq "${ann}"]` },
      { op: 'remove', path: `members[value eq "${bob}"]` },
    );
    expect(gone).toMatchObject({ status: 200, body: { members: [] } });
  });

  it('loses no member when many come at once', async () => {
    const id = await create(acme, 'Busy');
    const people = await Promise.all(Array.from({ length: 12 }, (_, i) => acme.provision(`busy${i}`)));
    await Promise.all(
      people.map((person) => acme.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: references(person) })),
    );
    expect((await membersOf(id)).sort((a, b) => a - b)).toEqual([...people].sort((a, b) => a - b));
  });

  it('takes members of its own organisation only, and hides its groups from others', async () => {
    const blue = await Directory.open(api);
    const stranger = await blue.provision('stranger');
    const id = await create(acme, 'Closed', ann);
    for (const members of [
      references(stranger),
      references(2_000_000_000),
      [{ value: 'ann' }],
      [{ value: id, type: 'Group' }],
      [5],
      'ann',
    ])
      expect(await acme.call('PUT', `/Groups/${id}`, { displayName: 'Closed', members })).toMatchObject({
        status: 400,
        body: { scimType: 'invalidValue' },
      });
    expect(await membersOf(id)).toEqual([ann]);
    expect((await blue.call('GET', `/Groups/${id}`)).status).toBe(404);
    expect((await blue.call('DELETE', `/Groups/${id}`)).status).toBe(404);
    expect((await blue.call('PUT', `/Groups/${id}`, group('Mine'))).status).toBe(404);
    expect((await blue.call('GET', '/Groups')).body).toMatchObject({ totalResults: 0 });
    expect((await acme.call('GET', '/Groups/no-uuid')).status).toBe(404);
    // A name is unique in its organisation, in any case of letters.
    expect((await acme.call('POST', '/Groups', group('CLOSED'))).body).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    });
    await create(blue, 'Closed', stranger);
  });

  it('filters', async () => {
    const corp = await Directory.open(api);
    const [dan, eve] = [await corp.provision('dan'), await corp.provision('eve')];
    await create(corp, 'Alpha', dan);
    const beta = await create(corp, 'Beta', dan, eve);
    const named = (filter: string) => corp.names(filter, 'Groups');
    expect(await named('displayName eq "ALPHA"')).toEqual(['Alpha']);
    expect(await named(`members.value eq "${eve}"`)).toEqual(['Beta']);
    expect(await named(`members[value eq "${dan}"] and displayName ne "beta"`)).toEqual(['Alpha']);
    expect(await named(`id eq "${beta}" and members pr`)).toEqual(['Beta']);
    expect(await named('userName eq "x"')).toEqual(['invalidFilter']);
    expect(await corp.names(`groups.value eq "${beta}"`)).toEqual(['dan', 'eve']);
    expect(await corp.names('groups.display eq "alpha"')).toEqual(['dan']);
  });

  it('shows the names of groups among the roles of their members, at once', async () => {
    const client: HttpClient = await api.signUp();
    const me = () => client.get<{ info: { id: number; roles: string[] } }>('/users/me/').then(({ info }) => info);
    const { id: userId } = await me();
    await api.database.dataSource.query('UPDATE users SET organization_id = $2 WHERE id = $1', [
      userId,
      acme.organizationId,
    ]);
    const id = await create(acme, 'Pilots', userId);
    expect((await me()).roles).toEqual(['General', 'Pilots']);
    await acme.patch(`/Groups/${id}`, { op: 'replace', value: { displayName: 'Captains' } });
    expect((await me()).roles).toEqual(['Captains', 'General']);
    expect((await acme.call('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect((await me()).roles).toEqual(['General']);
  });
});
