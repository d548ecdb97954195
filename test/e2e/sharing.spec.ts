import { startApi, type TestApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import { callStore, note, upload } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { mailsOf, mailsTo } from '../support/outbox.js';
import { inAll } from '../support/long.js';

const mailOf = ({ username }: HttpClient) => `${username}@test.example`;

describe('sharing documents', () => {
  let api: TestApi;
  let owner: HttpClient;
  let reader: HttpClient;
  let stranger: HttpClient;
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    api = await startApi();
    [owner, reader, stranger] = (await Promise.all([api.signUp(), api.signUp(), api.signUp()])) as [
      HttpClient,
      HttpClient,
      HttpClient,
    ];
  });
  afterAll(() => api.stop());

  const added = async (text?: string, name?: string) => (await upload(owner, note(text, name))).body;
  const share = (uid: string, emails: string[], client = owner) =>
    callStore(client, 'POST', `documents/${uid}/users/add/`, { emails });
  const unshare = (uid: string, emails: string[], client = owner) =>
    callStore(client, 'POST', `documents/${uid}/users/remove/`, { emails });
  const usersOf = async (uid: string, client = owner) =>
    (await callStore(client, 'GET', `documents/${uid}/users/`)).body;
  const sharesOf = async (uid: string) =>
    (await sql<[{ count: number }]>('SELECT count(*)::int FROM document_shares WHERE document_uid = $1', [uid]))[0]
      .count;
  const auditOf = async (uid: string) =>
    (await auditedActions(api.database.dataSource, { target: `document:${uid}` })).toSorted();

  it('shares and unshares, tells who was found, mails once and writes it down', async () => {
    const { uid } = await added('The kettle.', 'kettle.txt');
    const client = await api.signUp();
    const emails = [mailOf(client).toUpperCase(), 'nobody@test.example', mailOf(client), mailOf(owner)];
    expect(await share(uid, emails)).toEqual({
      status: 200,
      body: {
        added: [mailOf(client).toUpperCase()],
        invited: [],
        not_found: ['nobody@test.example'],
        detail: 'Shared with 1 person. The document is your own.',
      },
    });
    expect(await share(uid, [mailOf(client)])).toMatchObject({ status: 200, body: { added: [mailOf(client)] } });
    expect(await usersOf(uid)).toEqual({
      owner: { id: expect.any(Number), username: owner.username, email: mailOf(owner) },
      users: [{ id: expect.any(Number), username: client.username, email: mailOf(client) }],
    });
    expect((await callStore(client, 'GET', `documents/${uid}/`)).status).toBe(200);
    const mails = await mailsTo(api, mailOf(client), 2);
    expect(mails.filter(({ subject }) => subject === '“kettle.txt” was shared with you')).toHaveLength(1);

    expect(await unshare(uid, [mailOf(client), 'nobody@test.example', mailOf(stranger)])).toEqual({
      status: 200,
      body: {
        removed: [mailOf(client)],
        not_found: ['nobody@test.example', mailOf(stranger)],
        detail: expect.any(String),
      },
    });
    expect((await callStore(client, 'GET', `documents/${uid}/`)).status).toBe(404);
    expect(await unshare(uid, [mailOf(client)])).toMatchObject({ status: 200, body: { removed: [] } });
    expect(await auditOf(uid)).toEqual(['document.shared', 'document.unshared']);
    expect((await mailsOf(api)).filter(({ to }) => to === mailOf(owner))).toHaveLength(1);
  });

  it('is the business of the owner: 403 for a reader, 404 for a stranger', async () => {
    const { uid } = await added();
    await share(uid, [mailOf(reader), mailOf(stranger)]);
    await unshare(uid, [mailOf(stranger)]);
    expect((await share(uid, [mailOf(stranger)], reader)).status).toBe(403);
    expect((await unshare(uid, [mailOf(reader)], reader)).status).toBe(403);
    expect((await share(uid, [mailOf(stranger)], stranger)).status).toBe(404);
    expect((await unshare(uid, [mailOf(reader)], stranger)).status).toBe(404);
    expect((await callStore(stranger, 'GET', `documents/${uid}/users/`)).status).toBe(404);
    expect(await sharesOf(uid)).toBe(1);
  });

  it('tells a reader the owner and themselves, and nobody else', async () => {
    const { uid } = await added();
    await share(uid, [mailOf(reader), mailOf(stranger)]);
    expect(await usersOf(uid, reader)).toMatchObject({
      owner: { username: owner.username },
      users: [{ username: reader.username }],
    });
    expect((await usersOf(uid)).users).toHaveLength(2);
  });

  it('does not find deactivated accounts, but lets go of them', async () => {
    const { uid } = await added();
    const client = await api.signUp();
    await share(uid, [mailOf(client)]);
    await sql('UPDATE users SET is_active = false WHERE username = $1', [client.username]);
    expect((await share(uid, [mailOf(client)])).body).toMatchObject({ added: [], not_found: [mailOf(client)] });
    expect((await unshare(uid, [mailOf(client)])).body).toMatchObject({ removed: [mailOf(client)] });
  });

  it.each([
    [{}, 'This field is required.'],
    [{ emails: [] }, 'This list may not be empty.'],
    [{ emails: 'a@b.example' }, 'Expected a list of items but got type "str".'],
    [{ emails: ['nonsense'] }, 'Enter a valid email address.'],
    [{ emails: Array.from({ length: 101 }, (_, n) => `a${n}@b.example`) }, 'Ensure this field has no more than 100'],
  ])('refuses the body %#', async (body, message) => {
    const { uid } = await added();
    for (const action of ['add', 'remove'])
      expect(await callStore(owner, 'POST', `documents/${uid}/users/${action}/`, body)).toEqual({
        status: 400,
        body: { emails: [expect.stringContaining(message)] },
      });
  });

  it('has nothing to do with documents in the trash, whose shares come back with them', async () => {
    const { uid, path } = await added();
    await share(uid, [mailOf(reader)]);
    await callStore(owner, 'DELETE', `${uid}/delete/`);
    expect((await share(uid, [mailOf(stranger)])).status).toBe(404);
    expect((await unshare(uid, [mailOf(reader)])).status).toBe(404);
    expect((await callStore(reader, 'GET', `documents/${uid}/users/`)).status).toBe(404);
    expect((await reader.post<{ urls: unknown[] }>('/media/sign/', { paths: [path] })).urls).toEqual([]);
    await callStore(owner, 'POST', `${uid}/restore/`);
    expect((await callStore(reader, 'GET', `documents/${uid}/`)).status).toBe(200);
    expect((await usersOf(uid)).users).toHaveLength(1);
  });

  it('ends media for whoever is removed, and for everybody with the trash', async () => {
    const { uid, path } = await added();
    await share(uid, [mailOf(reader)]);
    const sign = async (client: HttpClient) =>
      (await client.post<{ urls: { url: string }[] }>('/media/sign/', { paths: [path] })).urls[0]?.url;
    const signed = (await sign(reader))!;
    const fetchSigned = () => fetch(new URL(signed, api.baseUrl)).then(({ status }) => status);
    expect(await fetchSigned()).toBe(200);
    await unshare(uid, [mailOf(reader)]);
    expect(await sign(reader)).toBeUndefined();
    // The address was signed for the reader, and ends with the share.
    expect(await fetchSigned()).toBe(404);
    expect((await fetch(signed.replace(/&u=\d+/, ''))).status).toBe(403);
    await share(uid, [mailOf(reader)]);
    expect(await fetchSigned()).toBe(200);
    await callStore(owner, 'DELETE', `${uid}/delete/`);
    expect(await fetchSigned()).toBe(404);
    await callStore(owner, 'POST', `${uid}/restore/`);
    expect(await fetchSigned()).toBe(200);
    await callStore(owner, 'DELETE', `${uid}/delete/`);
    await callStore(owner, 'DELETE', `${uid}/permanent-delete/`);
    expect(await fetchSigned()).toBe(404);
    expect(await sharesOf(uid)).toBe(0);
  });

  inAll('stays whole when the same people are added and removed at once', async () => {
    const { uid } = await added();
    const people = await Promise.all(Array.from({ length: 6 }, () => api.signUp()));
    const emails = people.map(mailOf);
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => {
        const some = n % 3 === 0 ? emails.toReversed() : emails;
        return n % 2 === 0 ? share(uid, some) : unshare(uid, some);
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const left = await sharesOf(uid);
    expect([0, 6]).toContain(left);
    const changes = await auditOf(uid);
    const shared = changes.filter((action) => action === 'document.shared').length;
    expect(shared - (changes.length - shared)).toBe(left);
    expect((await usersOf(uid)).users).toHaveLength(left);
    await share(uid, emails);
    expect(await sharesOf(uid)).toBe(6);
  });

  it('tags a document for its owner alone', async () => {
    const { uid } = await added();
    await share(uid, [mailOf(reader)]);
    const tag = (tags: unknown, client = owner) => callStore(client, 'PUT', `${uid}/tags/`, { tags });
    expect((await tag([' Tax ', 'tax', 'urgent'])).body.tags).toEqual(['Tax', 'urgent']);
    expect((await callStore(owner, 'GET', `documents/${uid}/`)).body.tags).toEqual(['Tax', 'urgent']);
    expect((await callStore(reader, 'GET', `documents/${uid}/`)).body).not.toHaveProperty('tags');
    expect([(await tag([], reader)).status, (await tag([], stranger)).status]).toEqual([403, 404]);
    expect(await tag([''])).toMatchObject({ status: 400, body: { tags: [expect.any(String)] } });
    expect(await tag('x')).toMatchObject({ status: 400, body: { tags: [expect.any(String)] } });
    expect((await tag([])).body.tags).toEqual([]);
  });
});
