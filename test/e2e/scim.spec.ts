import { ScimTokens } from '@app/auth';
import { call, startApi, type TestApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import { HttpClient } from '../support/http-client.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';
import { Directory } from '../support/scim.js';
import { inAll } from '../support/long.js';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

describe('users by SCIM', () => {
  let api: TestApi;
  let acme: Directory;
  beforeAll(async () => {
    api = await startApi();
    acme = await Directory.open(api, { domain: 'acme.example', domainVerified: true });
  });
  afterAll(() => api.stop());

  const sql = <T>(query: string, values: unknown[] = []) => api.database.dataSource.query<T[]>(query, values);
  const account = async (id: number) =>
    (await sql<Record<string, unknown>>('SELECT * FROM users WHERE id = $1', [id]))[0]!;

  it('describes itself', async () => {
    const config = await acme.call('GET', '/ServiceProviderConfig');
    expect(config.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(config.body).toMatchObject({ patch: { supported: true }, filter: { supported: true, maxResults: 200 } });
    expect((await acme.call('GET', '/ResourceTypes')).body).toMatchObject({ totalResults: 2 });
    expect((await acme.call('GET', '/ResourceTypes/User')).body).toMatchObject({ endpoint: '/Users' });
    const schemas = await acme.call('GET', '/Schemas');
    for (const { id } of schemas.body['Resources'] as { id: string }[])
      expect((await acme.call('GET', `/Schemas/${id}`)).body).toMatchObject({ id, attributes: expect.any(Array) });
    expect((await acme.call('GET', '/Schemas/nothing')).status).toBe(404);
  });

  it('needs a live token of its own, and errors are in its shape', async () => {
    const unauthorized = { schemas: [ERROR], status: '401', detail: expect.any(String), code: expect.any(String) };
    const person = await api.signUp();
    for (const authorization of [undefined, 'Bearer wrong', `Bearer ${person.token}`, `Token ${person.token}`]) {
      const answer = await fetch(`${api.baseUrl}/scim/v2/Users`, { headers: authorization ? { authorization } : {} });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(answer.headers.get('content-type')).toContain('application/scim+json');
      expect(await answer.json()).toEqual(unauthorized);
    }
    expect((await call(`${api.baseUrl}/users/me/`, { headers: { authorization: `Token ${acme.token}` } })).status).toBe(
      401,
    );
    const revoked = await Directory.open(api);
    await sql('UPDATE scim_tokens SET revoked_at = now() WHERE organization_id = $1', [revoked.organizationId]);
    expect((await revoked.call('GET', '/Users')).status).toBe(401);
    expect((await acme.call('GET', '/Nothing')).body).toMatchObject({ schemas: [ERROR], status: '404' });
    expect((await acme.call('POST', '/Users/1', {})).body).toMatchObject({ schemas: [ERROR], status: '405' });
  });

  it('provisions, shows, replaces and removes', async () => {
    const answer = await acme.call(
      'POST',
      '/Users',
      acme.person('grace', {
        externalId: 'ext-1',
        preferredLanguage: 'ar-SA',
        phoneNumbers: [{ value: '+1 (555) 010-9999' }],
      }),
    );
    expect(answer.status).toBe(201);
    const id = String(answer.body['id']);
    expect(answer.headers.get('location')).toBe(`${api.baseUrl}/scim/v2/Users/${id}`);
    expect(answer.body).toMatchObject({
      userName: 'grace',
      externalId: 'ext-1',
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
      displayName: 'Ada Lovelace',
      emails: [{ value: 'grace@acme.example', type: 'work', primary: true }],
      phoneNumbers: [{ value: '+15550109999' }],
      preferredLanguage: 'ar',
      active: true,
      meta: { resourceType: 'User', location: `${api.baseUrl}/scim/v2/Users/${id}` },
    });
    expect((await acme.call('GET', `/Users/${id}`)).body).toEqual(answer.body);
    expect(await account(Number(id))).toMatchObject({
      organization_id: acme.organizationId,
      verified: true,
      email_verified: true,
      password_hash: null,
    });
    const roles = await sql('SELECT r.name FROM user_roles u JOIN roles r ON r.id = u.role_id WHERE user_id = $1', [
      id,
    ]);
    expect(roles).toEqual([{ name: 'General' }]);

    const replaced = await acme.call('PUT', `/Users/${id}`, acme.person('grace.h', { displayName: 'Amazing Grace' }));
    expect(replaced.body).toMatchObject({ userName: 'grace.h', displayName: 'Amazing Grace', active: true });
    expect(replaced.body).not.toHaveProperty('externalId');
    expect(replaced.body).not.toHaveProperty('phoneNumbers');
    expect(
      String((replaced.body['meta'] as { lastModified: string }).lastModified) >
        String((answer.body['meta'] as { lastModified: string }).lastModified),
    ).toBe(true);
    const again = await acme.call('PUT', `/Users/${id}`, acme.person('grace.h', { displayName: 'Amazing Grace' }));
    expect(again.body).toEqual(replaced.body);

    expect((await acme.call('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await acme.call('GET', `/Users/${id}`)).status).toBe(404);
    expect((await acme.call('DELETE', `/Users/${id}`)).status).toBe(404);
    expect(await account(Number(id))).toMatchObject({ is_active: false, organization_id: null });
    // The same person comes back.
    expect(await acme.provision('grace.new', { emails: [{ value: 'GRACE.H@acme.example' }] })).toBe(Number(id));
    expect(await account(Number(id))).toMatchObject({ is_active: true, organization_id: acme.organizationId });
  });

  it('refuses what is taken, in any case of letters, and other names of other people', async () => {
    const id = await acme.provision('taken', { externalId: 'taken-ext' });
    const other = await acme.provision('other');
    const conflict = { status: 409, body: { scimType: 'uniqueness', status: '409' } };
    const post = (name: string, more: object) => acme.call('POST', '/Users', acme.person(name, more));
    expect(await post('TAKEN', { emails: [{ value: 'new@acme.example' }] })).toMatchObject(conflict);
    expect(await post('fresh', { emails: [{ value: 'Taken@ACME.example' }] })).toMatchObject(conflict);
    expect(await post('fresh', { externalId: 'taken-ext' })).toMatchObject(conflict);
    expect(await post('taken@acme.example', { emails: [{ value: 'fresh@acme.example' }] })).toMatchObject(conflict);
    expect(await acme.patch(`/Users/${other}`, { op: 'replace', path: 'userName', value: 'taken' })).toMatchObject(
      conflict,
    );
    expect(
      await acme.patch(`/Users/${other}`, { op: 'replace', path: 'externalId', value: 'taken-ext' }),
    ).toMatchObject(conflict);
    expect((await acme.call('GET', `/Users/${id}`)).body).toMatchObject({ userName: 'taken' });
    // Another organisation's directory may call its people the same.
    const blue = await Directory.open(api);
    expect(await blue.provision('blue', { externalId: 'taken-ext' })).toBeGreaterThan(id);
  });

  it('shows the accounts of the organisation only', async () => {
    const blue = await Directory.open(api);
    const id = await acme.provision('private');
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', blue.person('private')],
      ['PATCH', { Operations: [{ op: 'replace', value: { active: false } }] }],
      ['DELETE', undefined],
    ] as const)
      expect((await blue.call(method, `/Users/${id}`, body)).status).toBe(404);
    expect((await blue.call('GET', '/Users')).body).toMatchObject({ totalResults: 0, Resources: [] });
    expect(await account(id)).toMatchObject({ is_active: true, organization_id: acme.organizationId });
    for (const nonsense of ['abc', '99999999999', '-1', '1.5', '%27']) {
      expect((await acme.call('GET', `/Users/${nonsense}`)).status).toBe(404);
    }
  });

  it('takes in who registered with a confirmed address of the verified domain, and nobody else', async () => {
    const person = async (email: string, confirmed: boolean) => {
      const client = await api.signUp();
      await sql('UPDATE users SET email = $2, email_verified = $3 WHERE username = $1', [
        client.username,
        email,
        confirmed,
      ]);
      return (await client.get<{ info: { id: number } }>('/users/me/')).info.id;
    };
    const confirmed = await person('here.first@acme.example', true);
    const [{ organization_id: personal }] = (await sql('SELECT organization_id FROM users WHERE id = $1', [
      confirmed,
    ])) as [{ organization_id: number }];
    expect(await acme.provision('here.first')).toBe(confirmed);
    expect(await account(confirmed)).toMatchObject({ username: 'here.first', organization_id: acme.organizationId });
    expect(await sql('SELECT FROM organizations WHERE id = $1', [personal])).toEqual([]);
    const actions = await auditedActions(api.database.dataSource, { subjectId: confirmed });
    expect(actions).toContain('account.moved');

    await person('waiting@acme.example', false);
    const lax = await Directory.open(api, { domain: 'lax.example' });
    await person('stranger@lax.example', true);
    await person('elsewhere@gmail.example', true);
    const conflict = { status: 409, body: { scimType: 'uniqueness' } };
    expect(await acme.call('POST', '/Users', acme.person('waiting'))).toMatchObject(conflict);
    expect(await lax.call('POST', '/Users', lax.person('stranger'))).toMatchObject(conflict);
    const foreign = acme.person('elsewhere', { emails: [{ value: 'elsewhere@gmail.example' }] });
    expect(await acme.call('POST', '/Users', foreign)).toMatchObject(conflict);
  });

  it('vouches for addresses of its own domain only', async () => {
    const id = await acme.provision('contractor', { emails: [{ value: 'ceo@rival.example' }] });
    expect(await account(id)).toMatchObject({ email_verified: false });
    await acme.patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq "work"].value', value: 'c@acme.example' });
    expect(await account(id)).toMatchObject({ email: 'c@acme.example', email_verified: true });
  });

  it('vouches for no address while nobody vouched for its domain', async () => {
    const lax = await Directory.open(api, { domain: 'unproved.example' });
    const id = await lax.provision('ceo');
    expect(await account(id)).toMatchObject({ email: 'ceo@unproved.example', email_verified: false });
    for (const value of ['cfo@unproved.example', 'x@elsewhere.example', 'ceo@unproved.example']) {
      await lax.patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq "work"].value', value });
      expect(await account(id)).toMatchObject({ email: value, email_verified: false });
    }
  });

  it('takes nobody back who has become staff meanwhile', async () => {
    const id = await acme.provision('promoted');
    await acme.call('DELETE', `/Users/${id}`);
    await sql('UPDATE users SET is_staff = true WHERE id = $1', [id]);
    const again = acme.person('promoted', { userName: 'taken-over' });
    expect(await acme.call('POST', '/Users', again)).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    expect(await account(id)).toMatchObject({ organization_id: null, is_active: false });
  });

  it('leaves name and address of staff alone, and may still close the account', async () => {
    const id = await acme.provision('operator');
    await sql('UPDATE users SET is_staff = true WHERE id = $1', [id]);
    const refused = { status: 400, body: { scimType: 'mutability' } };
    expect(await acme.patch(`/Users/${id}`, { op: 'replace', value: { userName: 'mine' } })).toMatchObject(refused);
    expect(
      await acme.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value: 'x@acme.example' }] }),
    ).toMatchObject(refused);
    expect(await acme.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })).toMatchObject({
      status: 200,
    });
  });

  it('keeps to the seats, whoever is first', async () => {
    const small = await Directory.open(api, { seats: 2 });
    await small.provision('seat0');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => small.call('POST', '/Users', small.person(`race${i}`))),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 403)).toHaveLength(11);
    expect(answers.find(({ status }) => status === 403)!.body).toMatchObject({ status: '403', code: 'no_free_seats' });
    // An inactive account takes no seat, until it is activated.
    const idle = await small.provision('idle', { active: false });
    expect((await small.patch(`/Users/${idle}`, { op: 'replace', value: { active: true } })).status).toBe(403);
    const [{ id }] = (await sql(`SELECT id FROM users WHERE organization_id = $1 AND username = 'seat0'`, [
      small.organizationId,
    ])) as [{ id: number }];
    await small.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    expect((await small.patch(`/Users/${idle}`, { op: 'replace', value: { active: true } })).status).toBe(200);
  });

  it('makes one account of many equal calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => acme.call('POST', '/Users', acme.person('onlyone'))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  describe('filters and pages', () => {
    let corp: Directory;
    beforeAll(async () => {
      corp = await Directory.open(api);
      for (const [i, name] of ['Ann', 'bob', 'cleo', 'dan', 'eve'].entries())
        await corp.provision(name, {
          externalId: `X${i}`,
          active: i !== 3,
          displayName: name === 'eve' ? `O'Neil "E" 100%_\\` : undefined,
        });
    });

    it.each([
      ['userName eq "ANN"', ['Ann']],
      ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bob"', ['bob']],
      ['userName ne "ann"', ['bob', 'cleo', 'dan', 'eve']],
      ['userName sw "b" or userName ew "o"', ['bob', 'cleo']],
      ['userName co "e" and not (userName eq "eve")', ['cleo']],
      ['userName gt "cleo"', ['dan', 'eve']],
      ['externalId eq "x1"', []],
      ['externalId eq "X1"', ['bob']],
      ['active eq false', ['dan']],
      ['active eq "False"', ['dan']],
      ['emails.value co "CLEO@"', ['cleo']],
      ['emails[type eq "work" and value sw "dan"]', ['dan']],
      ['emails[type eq "home"]', []],
      [`displayName co "o'neil \\"E\\" 100%_"`, ['eve']],
      ['displayName co "%"', ['eve']],
      ['phoneNumbers pr', []],
      ['externalId pr and active eq true and userName lt "c"', ['Ann', 'bob']],
      ['meta.lastModified gt "2020-01-01T00:00:00Z" and userName eq "bob"', ['bob']],
      ['meta.created lt "2020-01-01T00:00:00Z"', []],
      ['externalId eq null', []],
    ])('%s', async (filter, expected) => {
      expect(await corp.names(filter)).toEqual(expected);
    });

    it.each([
      'nonsense',
      'title eq "x"',
      'password eq "x"',
      'u.password_hash eq "x"',
      'userName eq',
      'userName eq "a" userName',
      'userName zz "a"',
      'active gt true',
      'active eq "perhaps"',
      'meta.created eq "yesterday"',
      'meta.created gt "2026-02-30T00:00:00Z"',
      'emails[emails[value eq "x"]]',
      '__proto__ eq "x"',
      'constructor pr',
      `userName eq "a'; DROP TABLE users; --`,
      `userName eq "${'\n'.repeat(40)}`,
      '('.repeat(900),
      'not '.repeat(400),
      'x'.repeat(1999),
    ])('refuses %j', async (filter) => {
      expect(await corp.names(filter)).toEqual(['invalidFilter']);
    });

    it('pages, and leaves out what is not wanted', async () => {
      const page = async (query: string) => (await corp.call('GET', `/Users?${query}`)).body;
      expect(await page('startIndex=2&count=2')).toMatchObject({
        totalResults: 5,
        startIndex: 2,
        itemsPerPage: 2,
        Resources: [{ userName: 'bob' }, { userName: 'cleo' }],
      });
      expect(await page('count=0')).toMatchObject({ totalResults: 5, itemsPerPage: 0, Resources: [] });
      expect(await page('startIndex=-3&count=-1')).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
      expect(await page('startIndex=99')).toMatchObject({ totalResults: 5, Resources: [] });
      expect((await corp.call('GET', '/Users?count=many')).body).toMatchObject({
        status: '400',
        scimType: 'invalidValue',
      });
      const [first] = (await page('attributes=userName,emails.value&count=1'))['Resources'] as object[];
      expect(Object.keys(first!).sort()).toEqual(['emails', 'id', 'schemas', 'userName']);
      const [second] = (await page('excludedAttributes=name,meta&count=1'))['Resources'] as object[];
      expect(second).not.toHaveProperty('name');
      expect(second).toHaveProperty('userName');
    });
  });

  describe('PATCH', () => {
    it('as Okta and Entra ID write it', async () => {
      const id = await acme.provision('patched');
      const path = `/Users/${id}`;
      expect((await acme.patch(path, { op: 'replace', value: { active: false } })).body).toMatchObject({
        active: false,
      });
      expect((await acme.patch(path, { op: 'Replace', path: 'active', value: 'True' })).body).toMatchObject({
        active: true,
      });
      expect((await acme.patch(path, { op: 'Replace', path: 'active', value: 'False' })).body).toMatchObject({
        active: false,
      });
      const changed = await acme.patch(
        path,
        { op: 'Add', path: 'name.givenName', value: 'Augusta' },
        { op: 'replace', path: 'EMAILS[type eq "work"].value', value: 'augusta@acme.example' },
        { op: 'Add', value: { 'name.familyName': 'King', externalId: 'e-9', active: 'true' } },
        { op: 'add', path: 'phoneNumbers[type eq "mobile"].value', value: '+44 20 7946 0000' },
        { op: 'Replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName', value: 'A. King' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'R&D' },
        { op: 'replace', path: 'title', value: 'Countess' },
      );
      expect(changed.body).toMatchObject({
        name: { givenName: 'Augusta', familyName: 'King' },
        emails: [{ value: 'augusta@acme.example' }],
        externalId: 'e-9',
        active: true,
        displayName: 'A. King',
        phoneNumbers: [{ value: '+442079460000' }],
      });
      const cleared = await acme.patch(
        path,
        { op: 'remove', path: 'externalId' },
        { op: 'Remove', path: 'phoneNumbers' },
        { op: 'remove', path: 'displayName' },
        { op: 'remove', path: 'name.familyName' },
      );
      expect(cleared.body).toMatchObject({ name: { givenName: 'Augusta', familyName: '' }, displayName: 'Augusta' });
      for (const gone of ['externalId', 'phoneNumbers']) expect(cleared.body).not.toHaveProperty(gone);
    });

    it('has one primary address, removes what is not there, and takes booleans as texts', async () => {
      const path = `/Users/${await acme.provision('primary')}`;
      const emails = async (...operations: object[]) => {
        const { status, body } = await acme.patch(path, ...operations);
        return status === 200 ? (body['emails'] as { value: string }[]).map(({ value }) => value) : body;
      };
      const home = { type: 'home', value: 'p1@acme.example', primary: true };
      expect(await emails({ op: 'add', path: 'emails', value: [home] })).toEqual(['p1@acme.example']);
      expect(await emails({ op: 'add', value: { emails: [{ ...home, value: 'p2@acme.example' }] } })).toEqual([
        'p2@acme.example',
      ]);
      // In one request the last one said counts.
      expect(
        await emails(
          { op: 'add', path: 'emails', value: [{ ...home, value: 'p3@acme.example' }] },
          { op: 'add', path: 'emails', value: [{ ...home, value: 'p4@acme.example', primary: 'True' }] },
        ),
      ).toEqual(['p4@acme.example']);
      expect(
        await emails({ op: 'Replace', path: 'emails[primary eq "True"].value', value: 'p5@acme.example' }),
      ).toEqual(['p5@acme.example']);
      expect(
        await emails(
          { op: 'Remove', path: 'phoneNumbers[type eq "mobile"].value' },
          { op: 'Remove', path: 'phoneNumbers[type eq "work"]' },
        ),
      ).toEqual(['p5@acme.example']);
    });

    it('takes numbers as office systems keep them: the mobile one counts, and none holds up its account', async () => {
      const numberIn = ({ status, body }: Awaited<ReturnType<typeof acme.patch>>) =>
        status < 300
          ? (body['phoneNumbers'] as { value: string }[] | undefined)?.map(({ value }) => value)
          : [status, body['detail']];
      const whole = async (...phoneNumbers: object[]) =>
        numberIn(await acme.call('PUT', path, acme.person('reachable', { phoneNumbers })));
      const path = `/Users/${await acme.provision('reachable')}`;
      const [mobile, desk] = ['+49 171 7654321', '+49 (0)89 1234567'].map((value, at) => ({
        type: ['mobile', 'work'][at],
        value,
      })) as [object, object];
      expect(await whole({ type: 'fax', value: '+49 89 99999' }, desk, mobile)).toEqual(['+491717654321']);
      expect(await whole({ type: 'Pager', value: '+49 89 99999' })).toBeUndefined();
      expect(await whole({ ...desk, primary: true }, mobile)).toEqual(['+49891234567']);
      expect(await whole({ type: 'work', value: '089 1234-0' }, mobile)).toEqual(['+491717654321']);
      for (const value of ['ask at the desk', '(0)89 123456'])
        expect(await whole({ type: 'work', value })).toBeUndefined();
      expect(await whole({ type: 'work', value: '0049 89 123456' })).toEqual(['+4989123456']);
      for (const value of ['+1 4255550100 x12', '+1 425 555 0100 ext. 12', 'tel:+1-425-555-0100;ext=12'])
        expect(await whole({ type: 'work', value })).toEqual(['+14255550100']);

      const set = async (op: string, type: string, value?: string) =>
        numberIn(await acme.patch(path, { op, path: `phoneNumbers[type eq "${type}"].value`, value }));
      expect(await set('Replace', 'mobile', '+49 171 7654321')).toEqual(['+491717654321']);
      expect(await set('Add', 'fax', '+49 89 99999')).toEqual(['+491717654321']);
      expect(await set('Replace', 'work', '+49 89 1234567')).toEqual(['+49891234567']);
      expect(await set('Remove', 'mobile')).toEqual(['+49891234567']);
      expect(await set('Replace', 'work', '089 1234-0')).toBeUndefined();
    });

    it.each([
      [{ op: 'move', path: 'userName' }, 'invalidSyntax'],
      [{ path: 'userName', value: 'x' }, 'invalidSyntax'],
      [{ op: 'remove' }, 'noTarget'],
      [{ op: 'replace', path: 'id', value: '1' }, 'mutability'],
      [{ op: 'replace', value: { id: '1', displayName: 'X' } }, 'mutability'],
      [{ op: 'replace', path: 'userName[', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 'emails[type zz "x"].value', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: '__proto__.polluted', value: 'x' }, 'invalidPath'],
      [{ op: 'add', value: { 'constructor.prototype.polluted': 'x' } }, 'invalidValue'],
      [{ op: 'add', path: 'name', value: { '__proto__.polluted': 'x' } }, 'invalidValue'],
      [{ op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
      [{ op: 'replace', path: 'userName', value: { a: 1 } }, 'invalidValue'],
      [{ op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
      [{ op: 'replace', path: 'emails', value: 'no address' }, 'invalidValue'],
      [{ op: 'remove', path: 'emails' }, 'invalidValue'],
      [{ op: 'replace', value: 'x' }, 'invalidValue'],
    ])('refuses %j', async (operation, scimType) => {
      const { organizationId } = acme;
      const [{ id }] = (await sql(`SELECT id FROM users WHERE organization_id = $1 AND username = 'taken'`, [
        organizationId,
      ])) as [{ id: number }];
      expect(await acme.patch(`/Users/${id}`, operation)).toMatchObject({ status: 400, body: { scimType } });
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });
  });

  it('reads a megabyte, and JSON of either name', async () => {
    expect((await acme.call('POST', '/Users', acme.person('big', { title: 'x'.repeat(1_100_000) }))).status).toBe(413);
    expect((await acme.call('POST', '/Users', 'x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await acme.call('POST', '/Users', '{')).body).toMatchObject({ scimType: 'invalidSyntax' });
    const plain = { 'content-type': 'application/json' };
    expect((await acme.call('POST', '/Users', acme.person('plain'), plain)).status).toBe(201);
  });

  inAll('counts calls per token', async () => {
    const limited = await api.startReplica({ RATE_LIMITS: 'true' });
    try {
      const one = await Directory.open({ ...api, baseUrl: limited.baseUrl });
      const other = await Directory.open({ ...api, baseUrl: limited.baseUrl });
      const statuses: number[] = [];
      for (let i = 0; i < 16; i += 1)
        statuses.push(
          ...(await Promise.all(
            Array.from({ length: 20 }, async () => (await one.call('GET', '/Users?count=0')).status),
          )),
        );
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(300);
      const refused = await one.call('GET', '/Users');
      // The minute may just have ended.
      if (refused.status !== 200)
        expect(refused).toMatchObject({ status: 429, body: { schemas: [ERROR], status: '429', code: 'throttled' } });
      expect((await other.call('GET', '/Users')).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });

  it('makes several tokens per organisation, each revoked alone, and keeps only hashes', async () => {
    const tokens = api.app.get(ScimTokens, { strict: false });
    const [one, other] = [
      await tokens.create(acme.organizationId, 'one', 'test'),
      await tokens.create(acme.organizationId, 'other', 'test'),
    ];
    const status = async ({ token }: { token: string }) =>
      (await fetch(`${api.baseUrl}/scim/v2/Users`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await status(one), await status(other)]).toEqual([200, 200]);
    await tokens.revoke(one.id, 'test');
    expect([await status(one), await status(other)]).toEqual([401, 200]);
    await expect(tokens.revoke(one.id, 'test')).rejects.toThrow('no such token');
    await expect(tokens.revoke('x', 'test')).rejects.toThrow('no such token');
    const listed = await tokens.list(acme.organizationId);
    expect(listed.find(({ id }) => id === other.id)).toMatchObject({ name: 'other', lastUsedAt: expect.any(Date) });
    const rows = JSON.stringify(
      await sql(
        'SELECT t::text FROM scim_tokens t UNION ALL SELECT event::text FROM audit_inbox UNION ALL SELECT e::text FROM audit_events e',
      ),
    );
    for (const { token } of [one, other])
      for (const form of [token, Buffer.from(token).toString('hex')]) expect(rows).not.toContain(form);
  });

  it('ends with its organisation, for calls that wait too', async () => {
    const ended = await Directory.open(api);
    const runner = api.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT FROM organizations WHERE id = $1 FOR UPDATE', [ended.organizationId]);
    const calls = Promise.all([
      ended.call('POST', '/Users', ended.person('late', { active: false })),
      ended.call('POST', '/Groups', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Late' }),
    ]);
    await until(async () => (await lockWaits(api.database.dataSource)) === 2);
    await runner.query('DELETE FROM organizations WHERE id = $1', [ended.organizationId]);
    await runner.commitTransaction();
    await runner.release();
    expect(await calls).toMatchObject([{ status: 401 }, { status: 401 }]);
  });

  it('is not for people who are signed in', async () => {
    const client = await HttpClient.signUp(api.baseUrl);
    expect((await client.send('GET', '/scim/v2/Users')).status).toBe(401);
  });
});
